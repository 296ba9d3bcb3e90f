// Compares `hone split full` on a workload with the naive method: one iree-compile and one
// iree-benchmark-module with its defaults per shape and limit. The naive method is measured on a
// few shapes and extrapolated. Also reports the gain of the recommended code. WORKLOAD sets the
// workload (default: examples/workloads/weight_gradients.txt).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/clock.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "iree/compile/split_compile.h"
#include "iree/mlir/problem_mlir.h"
#include "model/workload/sweep.h"
#include "model/workload/workload.h"
#include "report/render/table.h"
#include "split/fit/rule.h"
#include "split/sweep/choices.h"
#include "split/sweep/sweeper.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 5;
constexpr double kSeedAim = 20;
/// Duration of an incremental build of the compiler, followed by a benchmark for every limit.
constexpr double kBuildSeconds = 300;
constexpr std::size_t kNaiveShapes = 4;
const std::vector<std::int64_t> kLimits = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};

/// Returns the shapes for the naive method: the middle one of each quarter of the workload, by
/// work.
Result<std::vector<split::SweepProblem>> sampleShapes(const std::string& workload) {
  const model::Workload read = HONE_TRY(model::readWorkload(workload));
  auto problems = model::uniqueProblems(read.entries);
  std::stable_sort(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return countFlops(a.problem) < countFlops(b.problem);
  });
  std::vector<split::SweepProblem> some;
  const std::size_t count = std::min(kNaiveShapes, problems.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& one = problems[(2 * i + 1) * problems.size() / (2 * count)];
    some.push_back({one.lines.front().text, retyped(one.problem, model::MatmulTypes{})});
  }
  return some;
}

/// Measures the naive method for one shape: every limit and the baseline.
Result<double> naiveShapeSeconds(Toolchain& toolchain, const split::SweepProblem& problem) {
  const auto requests = HONE_TRY(
      split::requestsFor(std::span(&problem, 1), toolchain.flags, toolchain.folder.path()));
  const auto programs = HONE_TRY(iree::prepareSplits(toolchain.compiler, requests));
  const auto& operations = programs.front().operations;
  const auto tool = toolchain.installation.compilerLibrary().parent_path() / "iree-compile";
  const auto module = toolchain.folder.path() / "plain.vmfb";
  std::vector<std::string> inputs;
  for (const model::TensorType& type : operandTypes(problem.problem)) {
    inputs.push_back(fmt::format("--input={}", type.text()));
  }
  const std::int64_t startNs = nowNs();
  for (std::size_t i = 0; i <= kLimits.size(); ++i) {
    std::string attribute;
    if (i > 0 && operations.size() == 1) {
      std::vector<std::string> parts;
      for (const std::int64_t size : split::sizesUnder(operations.front(), kLimits[i - 1])) {
        parts.push_back(fmt::format("{} : index", size));
      }
      attribute = fmt::format("iree_linalg_ext.split_reduction = [{}]", fmt::join(parts, ", "));
    }
    const auto source = toolchain.folder.path() / "plain.mlir";
    HONE_CHECK(writeFile(source, iree::emitMlir(problem.problem, "main", attribute)));
    std::vector<std::string> compile = {tool, source, "-o", module, iree::kEnableSplitFlag};
    compile.insert(compile.end(), toolchain.flags.begin(), toolchain.flags.end());
    // The attribute does not fit all sources (shapes with loops of one). The compile then fails
    // early, which only favours the naive method.
    const auto compiled = HONE_TRY(runCommand({compile, {}, {}}));
    if (!compiled.ending.ok()) {
      HONE_CHECK(writeFile(source, iree::emitMlir(problem.problem, "main")));
      HONE_CHECK(runCommandOutput(compile));
    }
    std::vector<std::string> measure = {toolchain.installation.runtimeTool("iree-benchmark-module"),
                                        fmt::format("--module={}", module.string()),
                                        "--function=main", "--device=local-task"};
    measure.insert(measure.end(), inputs.begin(), inputs.end());
    HONE_CHECK(runCommandOutput(measure));
  }
  return static_cast<double>(nowNs() - startNs) / 1e9;
}

void printGains(const nlohmann::json& validation) {
  report::Table table({{"code"},
                       {"total", report::Align::right},
                       {"geomean", report::Align::right},
                       {"improved", report::Align::right},
                       {"neutral", report::Align::right},
                       {"ambiguous", report::Align::right},
                       {"regressed", report::Align::right}});
  const auto ratioText = [](const nlohmann::json& ratio) {
    return ratio.is_null() ? "N.A." : fmt::format("{:.2f}x", ratio.get<double>());
  };
  for (const auto& [name, tally] : validation.items()) {
    table.add({name, ratioText(tally.at("total_speedup")), ratioText(tally.at("geomean_speedup")),
               tally.at("improved").dump(), tally.at("neutral").dump(),
               tally.at("ambiguous").dump(), tally.at("regressed").dump()});
  }
  fmt::print("{}", table.text());
}

/// Estimates the seconds of the naive method for the whole workload from a few shapes.
Result<double> naiveSeconds(Toolchain& toolchain, const std::string& workload, bool quick) {
  const auto all = HONE_TRY(model::readWorkload(workload));
  auto some = HONE_TRY(sampleShapes(workload));
  some.resize(quick ? 1 : some.size());
  std::vector<double> seconds;
  for (const split::SweepProblem& problem : some) {
    seconds.push_back(HONE_TRY(naiveShapeSeconds(toolchain, problem)));
  }
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  const auto shapes = model::uniqueProblems(all.entries).size();
  fmt::print("naive method: {:.1f} s per shape ({:.1f}); for all {} shapes {:.1f} min\n", mean,
             fmt::join(seconds, ", "), shapes, mean * static_cast<double>(shapes) / 60);
  return mean * static_cast<double>(shapes);
}

Result<void> measure(const Options& options) {
  Toolchain toolchain = HONE_TRY(Toolchain::start());
  const char* given = std::getenv("WORKLOAD");
  const std::string workload = given != nullptr ? given : HONE_EXAMPLE_WORKLOAD;
  const double naive = HONE_TRY(naiveSeconds(toolchain, workload, options.quick));
  const HoneOutput swept =
      HONE_TRY(runHone(toolchain.folder.path(), {"split", "full", workload, "--type", "f32",
                                                 "--results", toolchain.folder.path() / "r"}));
  const auto shapes = swept.json.at("shapes").size();
  std::int64_t compiled = 0;
  for (const nlohmann::json& shape : swept.json.at("shapes")) {
    compiled += shape.at("compiled").get<std::int64_t>();
  }
  const double sweep = swept.json.at("sweep_seconds").get<double>();
  fmt::print(
      "{} shapes: {} trials requested, {} compiled and measured in {:.1f} min; with analysis "
      "and validation {:.1f} min\n",
      shapes, shapes * (kLimits.size() + 2), compiled, sweep / 60, swept.seconds / 60);
  printGains(swept.json.at("validation"));
  const double seed = kBuildSeconds * static_cast<double>(kLimits.size() + 1) + naive;
  fmt::print("speedup over the naive method: {:.1f}x (aim {}x)\n", naive / sweep, kAim);
  fmt::print("with a build of the compiler for each limit: {:.0f} min: {:.0f}x (aim {}x)\n",
             seed / 60, seed / sweep, kSeedAim);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("split_sweep", argc, argv, hone::bench::measure);
}
