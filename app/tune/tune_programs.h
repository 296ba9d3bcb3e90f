#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/common/call_options.h"
#include "app/common/toolchain.h"
#include "tune/program/whole_program.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options that select the programs to tune.
struct TunePrograms {
  std::string file;  ///< a program in MLIR, or a workload
  std::vector<std::string> problems;
  CallOptions call;
  std::int64_t limit = 0;  ///< problems of a workload; 0: all

  void addTo(CLI::App& command);
  /// Returns the programs with their inputs. Writes programs for problems to `folder`. Skips and
  /// reports invalid lines of a workload.
  [[nodiscard]] Result<std::vector<tune::WholeProgram>> load(Toolchain& toolchain,
                                                             const std::vector<std::string>& flags,
                                                             std::uint64_t seed,
                                                             const std::filesystem::path& folder,
                                                             Progress& progress) const;

 private:
  [[nodiscard]] Result<std::vector<model::Problem>> readProblems(Progress& progress) const;
};

}  // namespace hone::app
