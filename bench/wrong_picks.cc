// Measures how often the slower of two programs is picked if they differ by 3 %: one runs 200 steps
// of a small matmul, the other 206. hone runs an experiment with its default rounds. The
// alternative is iree-benchmark-module with its defaults on one and then on the other, compared by
// mean real time.
//
// The same experiments compare the baseline with itself, to count false gains. Runs with both cores
// loaded by child processes, and without.
#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/machine.h"
#include "base/progress.h"
#include "base/random.h"
#include "engine/executor/local_executor.h"
#include "engine/plan/experiment.h"
#include "load.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "store/store.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::array kSteps = {200, 206};
constexpr double kMaxWrong = 0.01;
constexpr double kMaxFalseGains = 0.05;

/// With zero inputs the result is zero for any number of steps, so both are verified alike.
std::string stepsProgram(int steps) {
  return fmt::format(
      R"(func.func @steps(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant {} : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%v = %x) -> (tensor<64x64xf32>) {{
    %empty = tensor.empty() : tensor<64x64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %next = linalg.matmul ins(%v, %w : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }}
  return %r : tensor<64x64xf32>
}}
)",
      steps);
}

struct Tally {
  std::int64_t repeats = 0;
  std::int64_t honeWrong = 0;
  std::int64_t toolWrong = 0;
  std::map<stats::Verdict, std::int64_t> pair;    ///< from the view of the faster program
  std::map<stats::Verdict, std::int64_t> itself;  ///< the baseline against itself
  std::vector<double> ratios;                     ///< slower / faster, as estimated by hone
};

stats::Verdict invert(stats::Verdict verdict) {
  using stats::Verdict;
  return verdict == Verdict::improved    ? Verdict::regressed
         : verdict == Verdict::regressed ? Verdict::improved
                                         : verdict;
}

class PickExperiment {
 public:
  static Result<PickExperiment> prepare() {
    Toolchain toolchain = HONE_TRY(Toolchain::start());
    engine::Plan plan;
    for (const int steps : kSteps) {
      plan.programs.push_back(
          HONE_TRY(toolchain.load(fmt::format("steps{}.mlir", steps), stepsProgram(steps))));
    }
    plan.flags = toolchain.flags;
    plan.selects = false;
    plan.inputs = HONE_TRY(engine::makeInputs(plan.programs.front(), {"64x64xf32=0", "64x64xf32=0"},
                                              1, toolchain.folder.path()));
    auto store = HONE_TRY(
        store::Store::open(toolchain.folder.path() / "store.db", store::Store::Mode::write));
    return PickExperiment(std::move(toolchain), std::move(plan), std::move(store));
  }

  Result<Tally> repeat(std::int64_t count) {
    Tally tally;
    for (std::int64_t i = 0; i < count; ++i) {
      HONE_CHECK(byHone(static_cast<std::size_t>(random_.below(2)), tally));
      HONE_CHECK(byTool(static_cast<std::size_t>(random_.below(2)), tally));
      ++tally.repeats;
    }
    return tally;
  }

 private:
  PickExperiment(Toolchain toolchain, engine::Plan plan, store::Store store)
      : toolchain_(std::move(toolchain)), plan_(std::move(plan)), store_(std::move(store)) {}

  /// Runs one experiment: the first program is the baseline; the other and itself are candidates.
  Result<void> byHone(std::size_t first, Tally& tally) {
    plan_.candidates = {
        {first, {"A", {}, {}}}, {1 - first, {"B", {}, {}}}, {first, {"A'", {}, {}}}};
    plan_.seed = plan_.compare.seed = random_.next() >> 1U;
    store::Run run;
    run.key = std::to_string(plan_.seed);
    run.command = "figure";
    Progress progress(true);
    const std::int64_t number = HONE_TRY(store_.addRun(run));
    engine::LocalExecutor executor(store_, number, progress);
    engine::Experiment experiment(
        {toolchain_.compiler, toolchain_.runner, store_, progress, number, executor});
    const auto findings = HONE_TRY(experiment.run(plan_));
    if (!findings[1].comparison || !findings[2].comparison) {
      return machineError("no comparison: {} {}", findings[1].message, findings[2].message);
    }
    const stats::Comparison& pair = *findings[1].comparison;
    const bool fasterFirst = first == 0;
    const double ratio = fasterFirst ? 1 / pair.speedup.estimate : pair.speedup.estimate;
    tally.ratios.push_back(ratio);
    tally.honeWrong += ratio < 1 ? 1 : 0;
    ++tally.pair[fasterFirst ? invert(pair.verdict) : pair.verdict];
    ++tally.itself[findings[2].comparison->verdict];
    return {};
  }

  Result<void> byTool(std::size_t first, Tally& tally) {
    std::array<double, 2> means{};
    means[first] = HONE_TRY(meanByTool(first));
    means[1 - first] = HONE_TRY(meanByTool(1 - first));
    tally.toolWrong += means[0] > means[1] ? 1 : 0;
    return {};
  }

  /// Returns the mean real time printed by iree-benchmark-module with its defaults.
  Result<double> meanByTool(std::size_t program) {
    const iree::CompileRequest request{
        plan_.programs[program].source, plan_.programs[program].hash, plan_.flags, {}};
    const auto compiled = HONE_TRY(toolchain_.compiler.compileAll({&request, 1}, {}));
    Command command;
    command.argv = {toolchain_.installation.runtimeTool("iree-benchmark-module").string(),
                    "--device=local-sync", "--module=" + compiled.front().module.string(),
                    "--function=steps", "--benchmark_format=json"};
    for (const std::string& input : plan_.inputs.arguments) {
      command.argv.push_back("--input=" + input);
    }
    const Finished finished = HONE_TRY(runCommand(command));
    const auto json = nlohmann::json::parse(finished.out, nullptr, false);
    if (!json.is_object() || json.value("benchmarks", nlohmann::json::array()).empty()) {
      return machineError("iree-benchmark-module: {}", finished.err);
    }
    return json["benchmarks"][0].at("real_time").get<double>();
  }

  Toolchain toolchain_;
  engine::Plan plan_;
  store::Store store_;
  Random random_{1};
};

std::string chanceText(std::int64_t hits, std::int64_t count) {
  const stats::Interval chance = chanceInterval(hits, count);
  return fmt::format("{} of {} ({:.1f} - {:.1f} %)", hits, count, chance.low * 100,
                     chance.high * 100);
}

std::string verdictsText(const std::map<stats::Verdict, std::int64_t>& verdicts) {
  std::string text;
  for (const auto& [verdict, count] : verdicts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, nameOf(verdict));
  }
  return text;
}

std::int64_t countVerdict(const std::map<stats::Verdict, std::int64_t>& verdicts,
                          stats::Verdict verdict) {
  const auto at = verdicts.find(verdict);
  return at == verdicts.end() ? 0 : at->second;
}

void print(std::string_view load, const Tally& tally) {
  using stats::Verdict;
  fmt::print("{}: slower / faster {} by hone's estimate, {:.3f} by the number of steps\n", load,
             formatInterval(ratioInterval(tally.ratios)),
             static_cast<double>(kSteps[1]) / static_cast<double>(kSteps[0]));
  report::Table table({{"", report::Align::left}, {"wrong", report::Align::right}, {"verdicts"}});
  table.add({"  picks, hone", chanceText(tally.honeWrong, tally.repeats),
             verdictsText(tally.pair) + " (for the faster)"});
  table.add({"  picks, iree-benchmark-module", chanceText(tally.toolWrong, tally.repeats), ""});
  table.add({"  false gains over itself",
             chanceText(countVerdict(tally.itself, Verdict::improved), tally.repeats),
             verdictsText(tally.itself)});
  fmt::print("{}", table.text());
}

bool withinAims(const Tally& tally) {
  const auto share = [&](std::int64_t hits) {
    return static_cast<double>(hits) / static_cast<double>(tally.repeats);
  };
  return share(tally.honeWrong) <= kMaxWrong &&
         share(countVerdict(tally.itself, stats::Verdict::improved)) <= kMaxFalseGains;
}

Result<void> measure(const Options& options) {
  const std::int64_t repeats = options.repeats > 0 ? options.repeats : options.quick ? 10 : 100;
  PickExperiment experiment = HONE_TRY(PickExperiment::prepare());
  Tally loaded;
  {
    const Load load(cpuCount());
    loaded = HONE_TRY(experiment.repeat(repeats));
  }
  print("loaded", loaded);
  const Tally quiet = HONE_TRY(experiment.repeat(repeats));
  print("no load", quiet);
  // The aims are percentages: fewer than a hundred repeats cannot show that they are met.
  const auto describeAim = [&](const Tally& tally) {
    return !withinAims(tally) ? "missed"
           : repeats < 100    ? "not contradicted (too few repeats)"
                              : "met in this sample";
  };
  fmt::print(
      "aim: wrong picks at most {:.0f} %, false gains at most {:.0f} %: loaded {}, no load "
      "{}\n",
      kMaxWrong * 100, kMaxFalseGains * 100, describeAim(loaded), describeAim(quiet));
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("wrong_picks", argc, argv, hone::bench::measure);
}
