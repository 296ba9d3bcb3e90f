#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/budget.h"
#include "engine/plan/finding.h"
#include "engine/plan/plan.h"
#include "engine/plan/trial_context.h"
#include "model/result/summary/tune_result.h"
#include "tune/layers/layer_rewrites.h"

namespace hone::tune {

/// Returns true for layers whose times are of interest: those with several ways, and depthwise
/// convolutions, which gain much from the layout.
[[nodiscard]] bool isWorthMeasuring(const model::Layer& layer);

/// Returns the way that is usually the fastest. The layer must have ways.
[[nodiscard]] Way likelyWay(const model::Layer& layer);

/// Returns the layers that can be rewritten, each in its likely way.
[[nodiscard]] std::vector<LayerChoice> likelyChoices(std::span<const model::Layer> layers);

/// Returns the choices with the fastest measured way other than `excluded` for each measured layer
/// that has one.
[[nodiscard]] std::vector<LayerChoice> choicesWithout(const Way& excluded,
                                                      std::span<const LayerChoice> choices,
                                                      std::span<const model::TunedLayer> measured);

/// Layers measured by earlier runs, by Layer::key(). Their ways are valid.
using KnownLayers = std::map<std::string, model::TunedLayer>;

struct LayerSearchOptions {
  std::string scope;               ///< identifies the program within the run
  std::vector<std::string> flags;  ///< the target's and the user's
  std::uint64_t seed = 1;
  KnownLayers known;
};

/// Chooses the way of each layer by measuring it alone, most expensive first. Layers of equal shape
/// are measured once; known ones not at all. Layers that are not measured before `fraction` of the
/// clock's time is used get their likely way. Every trial is recorded in the run.
class LayerSearch {
 public:
  LayerSearch(const engine::TrialContext& bench, LayerSearchOptions options)
      : bench_(bench), options_(std::move(options)) {}

  /// May be called again with the same layers to measure more of them.
  [[nodiscard]] Result<std::vector<LayerChoice>> run(std::span<const model::Layer> layers,
                                                     const engine::BudgetClock& clock,
                                                     double fraction);

  /// Returns the measured and the known layers with their times, most expensive first.
  [[nodiscard]] const std::vector<model::TunedLayer>& measured() const { return measured_; }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  /// Measures the ways of a layer that can pay off; returns the fastest, or the likely one if none
  /// runs. Those that are rarely the fastest are skipped once `time` is used up.
  [[nodiscard]] Result<Way> measure(const model::Layer& layer,
                                    std::optional<std::chrono::milliseconds> time);
  /// Measures the operation as the program has it; for the report only.
  [[nodiscard]] Result<std::optional<double>> measureOriginal(const model::Layer& layer);
  /// Performs the plan; returns the findings, none if a unit fails.
  [[nodiscard]] Result<std::vector<engine::Finding>> screen(const engine::Plan& plan,
                                                            const std::filesystem::path& folder);

  engine::TrialContext bench_;
  LayerSearchOptions options_;
  std::vector<model::TunedLayer> measured_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::tune
