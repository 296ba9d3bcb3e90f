#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "tune/program/whole_program.h"

namespace CLI {
class App;
}

namespace hone::app {

/// The options that say what is tuned.
struct TunePrograms {
  std::string file;  ///< a program in MLIR, or a workload
  std::vector<std::string> problems;
  std::string function;
  std::vector<std::string> inputs;
  std::int64_t limit = 0;  ///< of a workload's problems; 0: all

  void addTo(CLI::App& verb);
  /// The programs with their inputs; those of problems are written to the folder. Lines of a
  /// workload that cannot be read are told and left out.
  [[nodiscard]] Result<std::vector<tune::WholeProgram>> load(Toolchain& toolchain,
                                                             const std::vector<std::string>& flags,
                                                             std::uint64_t seed,
                                                             const std::filesystem::path& folder,
                                                             Progress& progress) const;

 private:
  [[nodiscard]] Result<std::vector<model::Problem>> problemsAsked(Progress& progress) const;
};

}  // namespace hone::app
