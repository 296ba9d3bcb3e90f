#include "tune/layers/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/file.h"
#include "engine/plan/session.h"
#include "tune/layers/layer_form.h"
#include "tune/layers/layer_program.h"

namespace hone::tune {
namespace {

using model::Layer;

/// Layers with a smaller share of the program's multiply-adds are not measured.
constexpr double kMinWorkShare = 0.003;
/// Suffices to compile and to screen the ways in register tiles.
constexpr std::chrono::milliseconds kMinLayerTime = std::chrono::seconds(15);
/// Convolutions with fewer input channels are usually fastest as they are.
constexpr std::int64_t kFewChannels = 8;
/// With more input channels, summing up the positions of a filter in memory costs little.
constexpr std::int64_t kShortSum = 32;
/// The initializer of the filter runs once, when the module is loaded.
constexpr const char* kNoConstantEvaluation = "--iree-opt-const-eval=false";

/// Returns the ways that can pay off: reordering weights that are not fixed takes time in each
/// call.
std::vector<Way> usefulWays(const Layer& layer) {
  std::vector<Way> ways = waysFor(layer);
  if (isMatmul(layer) && !layer.fixedWeights) {
    std::erase_if(ways, [](const Way& way) { return way.tile.has_value(); });
  }
  return ways;
}

/// Returns a plan without programs.
engine::Plan emptyPlan(const Layer& layer, const LayerSearchOptions& options,
                       std::string_view what) {
  engine::Plan plan;
  plan.scope = fmt::format("{}{} {}", options.scope, what, layer.key());
  plan.flags = options.flags;
  plan.flags.emplace_back(kNoConstantEvaluation);
  plan.seed = options.seed;
  plan.compare.seed = options.seed;
  plan.onlyGains = true;
  return plan;
}

/// Returns the plan that compares the ways of a layer: the likely one first, then those in register
/// tiles, which usually win. The others follow in further batches if the budget allows it. Writes
/// the programs to `folder`.
Result<engine::Plan> planForLayer(const Layer& layer, const LayerSearchOptions& options,
                                  const std::filesystem::path& folder) {
  engine::Plan plan = emptyPlan(layer, options, "layer");
  std::vector<Way> ways = usefulWays(layer);
  const Way likely = likelyWay(layer);
  std::ranges::stable_partition(ways, [](const Way& way) { return way.tile.has_value(); });
  std::ranges::stable_partition(ways, [&](const Way& way) { return way == likely; });
  const auto tiled =
      std::ranges::count_if(ways, [](const Way& way) { return way.tile.has_value(); });
  plan.batch = std::min(plan.batch, 1 + static_cast<std::size_t>(tiled));
  for (const Way& way : ways) {
    const std::vector<LayerChoice> choice = {{layer, way}};
    plan.candidates.push_back({plan.programs.size(), {nameOf(way), flagsFor(choice), {}}});
    plan.programs.push_back(HONE_TRY(writeLayerProgram(layer, way, folder)));
  }
  plan.inputs = HONE_TRY(engine::makeInputs(plan.programs.front(), {}, options.seed, folder));
  return plan;
}

/// Returns the time for a layer with this share of the remaining work; nullopt without a limit.
std::optional<std::chrono::milliseconds> timeFor(double share,
                                                 std::optional<std::chrono::milliseconds> left) {
  if (!left) {
    return std::nullopt;
  }
  return std::max(kMinLayerTime,
                  std::chrono::duration_cast<std::chrono::milliseconds>(*left * share));
}

bool isMeasured(const engine::Finding& finding) {
  return finding.timeNs > 0 &&
         (finding.outcome == model::Outcome::ok || finding.outcome == model::Outcome::tooSlow);
}

}  // namespace

bool isWorthMeasuring(const Layer& layer) {
  return usefulWays(layer).size() > 1 || layer.op.contains("depthwise");
}

Way likelyWay(const Layer& layer) {
  const std::vector<Way> ways = usefulWays(layer);
  if (!isConvolution(layer)) {
    const auto tiled =
        std::ranges::find_if(ways, [](const Way& way) { return way.tile.has_value(); });
    return tiled == ways.end() ? ways.front() : *tiled;
  }
  const auto has = [&](Way way) { return std::find(ways.begin(), ways.end(), way) != ways.end(); };
  const std::int64_t channels = describeCore(layer).images.front().shape.back();
  if (has(Way::direct) && channels < kFewChannels) {
    return Way::direct;
  }
  const auto tiled = [&](Method method) {
    return std::ranges::find_if(ways,
                                [&](const Way& way) { return way.tile && way.method == method; });
  };
  // The first of these that the layer has. Windows of one pixel have only the last.
  std::vector<Method> methods = {Method::perPosition, Method::matmul};
  if (channels <= kShortSum) {
    methods.insert(methods.begin(), {Method::atOnce, Method::perRow});
  }
  for (const Method method : methods) {
    if (const auto way = tiled(method); way != ways.end()) {
      return *way;
    }
  }
  return has(Way::perPosition) ? Way::perPosition : Way::matmul;
}

std::vector<LayerChoice> likelyChoices(std::span<const Layer> layers) {
  std::vector<LayerChoice> choices;
  for (const Layer& layer : layers) {
    if (!waysFor(layer).empty()) {
      choices.push_back({layer, likelyWay(layer)});
    }
  }
  return choices;
}

std::vector<LayerChoice> choicesWithout(const Way& excluded, std::span<const LayerChoice> choices,
                                        std::span<const model::TunedLayer> measured) {
  std::vector<LayerChoice> others(choices.begin(), choices.end());
  for (LayerChoice& choice : others) {
    const auto times = std::find_if(measured.begin(), measured.end(), [&](const auto& one) {
      return one.layer.key() == choice.layer.key();
    });
    if (choice.way != excluded || times == measured.end()) {
      continue;
    }
    double bestNs = std::numeric_limits<double>::infinity();
    for (const auto& [name, ns] : times->ns) {
      const auto way = wayFrom(name);
      if (way && *way != excluded && ns < bestNs) {
        bestNs = ns;
        choice.way = *way;
      }
    }
  }
  return others;
}

Result<std::vector<engine::Finding>> LayerSearch::screen(const engine::Plan& plan,
                                                         const std::filesystem::path& folder) {
  engine::Session session(bench_, plan, folder);
  HONE_CHECK(session.restore());
  HONE_CHECK(session.submitPlanned());
  const auto received = session.receive();
  if (!received && received.error().isFatal()) {
    return std::unexpected(received.error());
  }
  referenceCpuNs_ += session.referenceCpuNs();
  return session.findings();
}

Result<Way> LayerSearch::measure(const Layer& layer,
                                 std::optional<std::chrono::milliseconds> time) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-layer"));
  engine::Plan plan = HONE_TRY(planForLayer(layer, options_, folder.path()));
  plan.budget.time = time;
  model::TunedLayer measured;
  measured.layer = layer;
  const engine::Finding* best = nullptr;
  const auto findings = HONE_TRY(screen(plan, folder.path()));
  for (const engine::Finding& finding : findings) {
    if (isMeasured(finding)) {
      measured.ns.emplace(finding.config.name, finding.timeNs);
      best = best == nullptr || finding.timeNs < best->timeNs ? &finding : best;
    }
  }
  if (best == nullptr) {
    return likelyWay(layer);
  }
  measured.way = best->config.name;
  measured_.push_back(std::move(measured));
  return wayFrom(best->config.name).value_or(likelyWay(layer));
}

Result<std::optional<double>> LayerSearch::measureOriginal(const Layer& layer) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-layer"));
  engine::Plan plan = emptyPlan(layer, options_, "default of");
  plan.candidates.push_back({0, {"default", {}, {}}});
  plan.programs.push_back(HONE_TRY(writeOriginalProgram(layer, folder.path())));
  plan.inputs =
      HONE_TRY(engine::makeInputs(plan.programs.front(), {}, options_.seed, folder.path()));
  const auto findings = HONE_TRY(screen(plan, folder.path()));
  return !findings.empty() && isMeasured(findings.front()) ? std::optional(findings.front().timeNs)
                                                           : std::nullopt;
}

Result<std::vector<LayerChoice>> LayerSearch::run(std::span<const Layer> layers,
                                                  const engine::BudgetClock& clock,
                                                  double fraction) {
  std::vector<LayerChoice> choices = likelyChoices(layers);
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    all += countWork(choices[i].layer);
    if (isWorthMeasuring(choices[i].layer)) {
      order.push_back(i);
    }
  }
  double left = 0;
  for (const std::size_t i : order) {
    left += countWork(choices[i].layer);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return countWork(choices[a].layer) > countWork(choices[b].layer);
  });
  for (const std::size_t i : order) {
    LayerChoice& choice = choices[i];
    const double share = countWork(choice.layer) / std::max(left, 1.0);
    left -= countWork(choice.layer);
    const auto before = std::ranges::find(measured_, choice.layer.key(),
                                          [](const auto& one) { return one.layer.key(); });
    if (before != measured_.end()) {
      choice.way = wayFrom(before->way).value_or(choice.way);
    } else if (const auto known = options_.known.find(choice.layer.key());
               known != options_.known.end()) {
      choice.way = wayFrom(known->second.way).value_or(choice.way);
      model::TunedLayer& remembered = measured_.emplace_back(known->second);
      remembered.layer.calls = choice.layer.calls;
      remembered.remembered = true;
    } else if (countWork(choice.layer) >= kMinWorkShare * all && !clock.spent(fraction)) {
      choice.way = HONE_TRY(measure(choice.layer, timeFor(share, clock.leftUntil(fraction))));
    }
  }
  for (model::TunedLayer& measured : measured_) {
    if (isMatmul(measured.layer)) {
      const auto unpacked = measured.ns.find(nameOf(Way::matmul));
      measured.defaultNs =
          unpacked == measured.ns.end() ? std::nullopt : std::optional(unpacked->second);
    } else if (!measured.defaultNs && !clock.spent(fraction)) {
      measured.defaultNs = HONE_TRY(measureOriginal(measured.layer));
    }
  }
  return choices;
}

}  // namespace hone::tune
