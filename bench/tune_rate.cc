// Compares trials per minute of `hone tune`, each compiled, verified and measured, with a naive
// loop. Per candidate, the loop runs one iree-compile with a spec file and one
// iree-benchmark-module with three repetitions, without verification.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/spec/spec.h"
#include "model/problem/profiler_name.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 3;

/// Returns the seconds per trial of the whole `hone tune` command. Flags are kept, so that all
/// trials are candidates of the single dispatch.
Result<double> byHone(const std::filesystem::path& folder, std::int64_t trials) {
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"tune", "--problem", profilerName(model::Problem(tiledProblem())),
                                "--device", "local-sync", "--keep-flags", "--budget",
                                fmt::format("{}trials", trials), "-o", folder / "spec.mlir"}));
  std::int64_t tried = 0;
  for (const auto& dispatch :
       answer.json.at("programs").at(0).at("variants").at(0).at("dispatches")) {
    tried += dispatch.value("tried", std::int64_t{0});
  }
  if (tried == 0) {
    return machineError("hone tune ran no trials");
  }
  return answer.seconds / static_cast<double>(tried);
}

/// Measures the seconds of the naive loop for each config.
Result<std::vector<double>> naiveLoop(Toolchain& toolchain, std::size_t count) {
  const auto program = HONE_TRY(toolchain.load("plain.mlir", iree::emitMlir(tiledProblem())));
  const auto matchers = HONE_TRY(
      iree::queryMatchers(toolchain.compiler, {program.source, program.hash, toolchain.flags, {}}));
  const auto tool = toolchain.installation.compilerLibrary().parent_path() / "iree-compile";
  const auto spec = toolchain.folder.path() / "plain_spec.mlir";
  const auto module = toolchain.folder.path() / "plain.vmfb";
  std::vector<double> seconds;
  for (const model::Config& config : tileConfigs(count)) {
    const iree::SpecEntry entry{"plain", "", matchers.front().matcher,
                                config.attributes.front().value};
    const std::int64_t startNs = nowNs();
    const std::string text = HONE_TRY(iree::specText(std::span(&entry, 1)));
    HONE_CHECK(writeFile(spec, text));
    std::vector<std::string> compile = {
        tool, program.source, "-o", module,
        fmt::format("--iree-codegen-tuning-spec-path={}", spec.string())};
    compile.insert(compile.end(), toolchain.flags.begin(), toolchain.flags.end());
    std::vector<std::string> measure = {toolchain.installation.runtimeTool("iree-benchmark-module"),
                                        fmt::format("--module={}", module.string()),
                                        fmt::format("--function={}", program.function),
                                        "--device=local-sync", "--benchmark_repetitions=3"};
    for (const model::TensorType& type : operandTypes(model::Problem(tiledProblem()))) {
      measure.push_back(fmt::format("--input={}", type.text()));
    }
    HONE_CHECK(runCommandOutput(compile));
    HONE_CHECK(runCommandOutput(measure));
    seconds.push_back(static_cast<double>(nowNs() - startNs) / 1e9);
  }
  return seconds;
}

Result<void> measure(const Options& options) {
  Toolchain toolchain = HONE_TRY(Toolchain::start());
  const double hone = HONE_TRY(byHone(toolchain.folder.path(), options.quick ? 16 : 128));
  const auto naive = HONE_TRY(naiveLoop(toolchain, options.quick ? 2 : 12));
  std::vector<double> ratios;
  for (const double seconds : naive) {
    ratios.push_back(seconds / hone);
  }
  const stats::Interval ratio = ratioInterval(ratios);
  fmt::print("hone tune: {:.0f} trials per minute, including the proof; naive loop: {:.1f}\n",
             60 / hone, 60 / (hone * ratio.estimate));
  fmt::print("{} (aim {}x)\n", formatInterval(ratio), kAim);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("tune_rate", argc, argv, hone::bench::measure);
}
