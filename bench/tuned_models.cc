// Runs `hone tune` on models. Reports the time of the compiler's default, of the tuned program and
// of ONNX Runtime, which `hone tune` measures in the same rounds, and the most expensive layers.
// Environment: MODELS, paths of ONNX files separated by spaces; BUDGET per model (default: 10m);
// DEVICE (default: local-sync, which uses one thread).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "model/result/summary/tune_result.h"
#include "report/render/table.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::size_t kShownLayers = 5;

struct TunedModel {
  std::string name;
  double seconds = 0;
  model::TunedProgram program;

  [[nodiscard]] stats::Interval speedup() const {
    return program.proof ? program.proof->speedup.value_or(stats::Interval{1, 1, 1})
                         : stats::Interval{1, 1, 1};
  }
  /// Returns the speed as a fraction of ONNX Runtime's; the interval covers the errors of both.
  [[nodiscard]] std::optional<stats::Interval> shareOfRuntime() const {
    if (!program.alternative || !program.alternative->speedup) {
      return std::nullopt;
    }
    const stats::Interval& other = *program.alternative->speedup;
    const stats::Interval own = speedup();
    return stats::Interval{own.low / other.high, own.estimate / other.estimate,
                           own.high / other.low};
  }
};

std::string environmentOr(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

Result<TunedModel> tuneModel(const std::filesystem::path& folder, const std::string& model,
                             const std::string& budget) {
  TunedModel tuned;
  tuned.name = std::filesystem::path(model).stem().string();
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"tune", model, "--device", environmentOr("DEVICE", "local-sync"),
                                "--budget", budget, "-o", folder / (tuned.name + ".tuned")}));
  tuned.seconds = answer.seconds;
  auto result = HONE_TRY(model::tuneResultFrom(answer.json));
  if (result.programs.size() != 1) {
    return machineError("{}: {} programs instead of one", model, result.programs.size());
  }
  tuned.program = std::move(result.programs.front());
  return tuned;
}

std::string formatTime(const std::optional<double>& ns) { return ns ? humanTime(*ns) : "N.A."; }

void printLayers(const TunedModel& tuned) {
  using report::Align;
  report::Table table({{"layer", Align::left},
                       {"calls", Align::right},
                       {"default", Align::right},
                       {"tuned", Align::right},
                       {"way"}});
  const auto total = [](const model::TunedLayer& layer) {
    return static_cast<double>(layer.layer.calls) * layer.defaultNs.value_or(0);
  };
  std::vector<model::TunedLayer> layers = tuned.program.layers;
  std::ranges::stable_sort(layers, std::greater<>(), total);
  layers.resize(std::min(layers.size(), kShownLayers));
  for (const model::TunedLayer& layer : layers) {
    const auto time = layer.ns.find(layer.way);
    table.add({layer.layer.describe(), std::to_string(layer.layer.calls),
               formatTime(layer.defaultNs),
               formatTime(time == layer.ns.end() ? std::nullopt : std::optional(time->second)),
               layer.way});
  }
  if (!layers.empty()) {
    fmt::print("{}", table.text());
  }
}

void printModel(const TunedModel& tuned) {
  const auto share = tuned.shareOfRuntime();
  const auto& proof = tuned.program.proof;
  const bool layers = proof && !tuned.program.variants.empty();
  fmt::print(
      "{}: default {}, tuned {}, ONNX Runtime {}; {} over the default, {} of ONNX Runtime's "
      "speed; {}; {:.0f} s\n",
      tuned.name, formatTime(tuned.program.defaultNs),
      formatTime(proof ? proof->tunedNs : tuned.program.defaultNs),
      formatTime(tuned.program.alternative ? tuned.program.alternative->timeNs : std::nullopt),
      formatInterval(tuned.speedup()), share ? formatInterval(*share) : "N.A.",
      layers ? tuned.program.variants.front().name : "default kept", tuned.seconds);
  printLayers(tuned);
}

void printMeans(const std::vector<TunedModel>& all) {
  double speedups = 0;
  double shares = 0;
  double least = 1e9;
  std::size_t compared = 0;
  std::size_t faster = 0;
  for (const TunedModel& one : all) {
    speedups += std::log(one.speedup().estimate);
    if (const auto share = one.shareOfRuntime()) {
      ++compared;
      shares += std::log(share->estimate);
      least = std::min(least, share->estimate);
      faster += share->low > 1 ? 1 : 0;
    }
  }
  fmt::print("geomean of {}: {:.2f}x over the default (aim 5x)\n", all.size(),
             std::exp(speedups / static_cast<double>(all.size())));
  if (compared > 0) {
    fmt::print(
        "geomean of {}: {:.0f} % of ONNX Runtime's speed (aim 90 %), at least {:.0f} % (aim "
        "70 %), {} faster than it\n",
        compared, 100 * std::exp(shares / static_cast<double>(compared)), 100 * least, faster);
  }
}

Result<void> measure(const Options& options) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-models"));
  const std::string budget = environmentOr("BUDGET", options.quick ? "90s" : "10m");
  std::vector<TunedModel> all;
  for (const std::string& model : splitAt(environmentOr("MODELS", ""), ' ')) {
    if (model.empty()) {
      continue;
    }
    all.push_back(HONE_TRY(tuneModel(scratch.path(), model, budget)));
    printModel(all.back());
  }
  if (all.empty()) {
    fmt::print("no models: set MODELS to the paths of ONNX files\n");
    return {};
  }
  printMeans(all);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("tuned_models", argc, argv, hone::bench::measure);
}
