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
#include "engine/program.h"
#include "iree/compile/compiler.h"
#include "iree/compile/installation.h"
#include "iree/run/execution.h"
#include "model/problem/problem.h"
#include "model/result/config.h"
#include "stats/compare.h"

namespace hone::bench {

struct Options {
  bool quick = false;        ///< a short run: shows that it works, its figures are rough
  std::int64_t repeats = 0;  ///< --repeats=N; 0: the program's own number
};

/// Reads the options, measures, and turns an error into a message and an exit code.
int runMain(std::string_view name, int argc, char** argv,
            const std::function<Result<void>(const Options&)>& measure);

/// The real compiler with an empty cache, the synchronous CPU device, and a folder for both.
struct Toolchain {
  ScratchFolder folder;
  iree::Installation installation;
  std::vector<std::string> flags;
  iree::Compiler compiler;
  iree::ModuleRunner runner;

  [[nodiscard]] static Result<Toolchain> start();
  /// Writes the program into the folder and loads it.
  [[nodiscard]] Result<engine::Program> load(const std::string& name, const std::string& text);
};

/// build/hone, beside this program.
[[nodiscard]] Result<std::filesystem::path> honeProgram();

/// What a program prints; one that ends badly is an error.
[[nodiscard]] Result<std::string> outputOf(std::vector<std::string> argv);

struct HoneAnswer {
  nlohmann::json json;
  double seconds = 0;  ///< all of the command counted
};

/// The answer of a hone command in JSON. Its store and its cache are in `folder`.
[[nodiscard]] Result<HoneAnswer> askHone(const std::filesystem::path& folder,
                                         std::vector<std::string> arguments);

/// A compile pool on all cores with the cache in the folder given.
[[nodiscard]] Result<iree::Compiler> startCompiler(const iree::Installation& installation,
                                                   const std::filesystem::path& cache);

/// The problem that the figures of the engine are about, and tiles for it that all compile.
[[nodiscard]] model::Matmul tiledProblem();
[[nodiscard]] std::vector<model::Config> tileConfigs(std::size_t count);

/// CPU time of all descendants that were waited for, by their parents and then by this process.
[[nodiscard]] std::int64_t childrenCpuNs();

/// The median of the ratios with its 95 % bootstrap interval; ratios are averaged as logs.
[[nodiscard]] stats::Interval ratioInterval(std::span<const double> ratios);
[[nodiscard]] std::string textOf(const stats::Interval& interval);

/// The 95 % interval (Clopper-Pearson) of a chance of which `hits` of `count` were seen.
[[nodiscard]] stats::Interval chanceInterval(std::int64_t hits, std::int64_t count);

}  // namespace hone::bench
