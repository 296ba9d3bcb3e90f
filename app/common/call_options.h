#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/progress.h"
#include "engine/program/program.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options that select the call of a program: function, inputs, sizes and weights.
struct CallOptions {
  std::string function;
  std::vector<std::string> inputs;
  std::vector<std::string> dims;    ///< "batch=1,sequence=128", "batch=1:8"
  std::vector<std::string> ranges;  ///< "ids=0:30522"
  std::vector<std::string> parameters;
  bool takesRanges = false;  ///< the command uses otherSizes(); others reject ranges in `dims`

  /// Adds the options. `scope` starts each description: "" or "Program: ".
  void addTo(CLI::App& command, const std::string& scope = "");
  /// Adds only the sizes of dimensions, for a command that runs nothing.
  void addDimsTo(CLI::App& command, const std::string& scope = "");
  /// Returns `file` with these options and compiler flags, for engine::loadProgram(). Fails with a
  /// user error that quotes the option if a size or a range is not valid.
  [[nodiscard]] Result<engine::ProgramSource> sourceFor(
      const std::filesystem::path& file, const std::vector<std::string>& flags) const;
  /// Returns the largest sizes of the ranges in `dims` ("batch=1:8"), one per range. Programs are
  /// loaded with the smallest.
  [[nodiscard]] Result<std::vector<iree::DimensionSizes>> otherSizes() const;
  /// Adds the inputs to the key of a run.
  void addTo(Hasher& hasher) const;
};

/// Returns true for a file with a program or model; other files are workloads.
[[nodiscard]] bool isProgramFile(const std::string& file);

/// Reports the sizes that hone chose for dynamic dimensions.
void reportChosenSizes(const engine::Program& program, Progress& progress);

}  // namespace hone::app
