#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "app/engine.h"

namespace CLI {
class App;
}

namespace hone::app {

/// How a whole program is called.
struct ProgramOptions {
  std::string function;
  std::vector<std::string> inputs;

  void addTo(CLI::App& verb);
};

/// Runs the program and prints the time of each of its dispatches; the exit code.
[[nodiscard]] Result<int> profileProgram(const Context& context, Engine& engine,
                                         const std::string& file, const ProgramOptions& options);

}  // namespace hone::app
