// Trials a minute of `hone tune`, each compiled, verified and measured, against the plain loop: for
// each candidate one iree-compile with a spec file and one iree-benchmark-module with three
// repetitions, which verifies nothing.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/spec/spec.h"
#include "model/problem/seed_name.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 3;

/// Seconds a trial of `hone tune`, all of the command counted: flags are kept, so that all trials
/// are candidates of the one dispatch.
Result<double> byHone(const std::filesystem::path& folder, std::int64_t trials) {
  const HoneAnswer answer =
      HONE_TRY(askHone(folder, {"tune", "--problem", seedName(model::Problem(tiledProblem())),
                                "--device", "local-sync", "--keep-flags", "--budget",
                                fmt::format("{}trials", trials), "-o", folder / "spec.mlir"}));
  std::int64_t tried = 0;
  for (const auto& dispatch :
       answer.json.at("programs").at(0).at("variants").at(0).at("dispatches")) {
    tried += dispatch.value("tried", std::int64_t{0});
  }
  if (tried == 0) {
    return machineError("hone tune tried nothing");
  }
  return answer.seconds / static_cast<double>(tried);
}

/// Seconds of the plain loop for each of the configs.
Result<std::vector<double>> plainLoop(Toolchain& toolchain, std::size_t count) {
  const auto program = HONE_TRY(toolchain.load("plain.mlir", iree::mlirOf(tiledProblem())));
  const auto matchers = HONE_TRY(
      iree::matchersOf(toolchain.compiler, {program.source, program.hash, toolchain.flags, {}}));
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
    for (const model::TensorType& type : operandsOf(model::Problem(tiledProblem()))) {
      measure.push_back(fmt::format("--input={}", type.text()));
    }
    HONE_CHECK(outputOf(compile));
    HONE_CHECK(outputOf(measure));
    seconds.push_back(static_cast<double>(nowNs() - startNs) / 1e9);
  }
  return seconds;
}

Result<void> measure(const Options& options) {
  Toolchain toolchain = HONE_TRY(Toolchain::start());
  const double hone = HONE_TRY(byHone(toolchain.folder.path(), options.quick ? 16 : 128));
  const auto plain = HONE_TRY(plainLoop(toolchain, options.quick ? 2 : 12));
  std::vector<double> ratios;
  for (const double seconds : plain) {
    ratios.push_back(seconds / hone);
  }
  const stats::Interval ratio = ratioInterval(ratios);
  fmt::print("hone tune: {:.0f} trials a minute, proof included; the plain loop: {:.1f}\n",
             60 / hone, 60 / (hone * ratio.estimate));
  fmt::print("{} (aim {}x)\n", textOf(ratio), kAim);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("tune_rate", argc, argv, hone::bench::measure);
}
