#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "engine/program/program.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/run/execution.h"
#include "model/problem/problem.h"
#include "model/result/config.h"
#include "stats/compare.h"

namespace hone::bench {

struct Options {
  bool quick = false;        ///< a short run: a smoke test with rough figures
  std::int64_t repeats = 0;  ///< --repeats=N; 0: the benchmark's default
};

/// Parses the options and runs `measure`; prints errors and returns the exit code.
int runMain(std::string_view name, int argc, char** argv,
            const std::function<Result<void>(const Options&)>& measure);

/// The real compiler with an empty cache, and the synchronous CPU device, in a scratch folder.
struct Toolchain {
  ScratchFolder folder;
  iree::Installation installation;
  std::vector<std::string> flags;
  iree::Compiler compiler;
  iree::ModuleRunner runner;

  [[nodiscard]] static Result<Toolchain> start();
  /// Writes the program to the folder and loads it.
  [[nodiscard]] Result<engine::Program> load(const std::string& name, const std::string& text);
};

/// Returns the path of the hone binary: $HONE, for comparing versions, or the one next to this
/// program.
[[nodiscard]] Result<std::filesystem::path> honeProgram();

/// Runs a command and returns its output; fails if the command fails.
[[nodiscard]] Result<std::string> runCommandOutput(std::vector<std::string> argv);

struct HoneOutput {
  nlohmann::json json;
  double seconds = 0;  ///< wall time of the whole command
};

/// Runs a hone command and parses its JSON output. The store and the cache are in `folder`.
[[nodiscard]] Result<HoneOutput> runHone(const std::filesystem::path& folder,
                                         std::vector<std::string> arguments);

/// Starts a compile pool on all cores with this cache folder.
[[nodiscard]] Result<iree::Compiler> startCompiler(const iree::Installation& installation,
                                                   const std::filesystem::path& cache);

/// The problem used by the engine benchmarks, and tiles for it that all compile.
[[nodiscard]] model::Matmul tiledProblem();
[[nodiscard]] std::vector<model::Config> tileConfigs(std::size_t count);

/// Returns the CPU time of all descendants that were waited for, directly or by their parents.
[[nodiscard]] std::int64_t childrenCpuNs();

/// Returns the median ratio with its 95 % bootstrap confidence interval, computed on logarithms.
[[nodiscard]] stats::Interval ratioInterval(std::span<const double> ratios);
[[nodiscard]] std::string formatInterval(const stats::Interval& interval);

/// Returns the 95 % Clopper-Pearson confidence interval of a probability, given `hits` out of
/// `count`.
[[nodiscard]] stats::Interval chanceInterval(std::int64_t hits, std::int64_t count);

}  // namespace hone::bench
