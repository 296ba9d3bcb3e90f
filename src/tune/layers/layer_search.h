#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/budget.h"
#include "engine/plan/trial_context.h"
#include "model/result/summary/tune_result.h"
#include "tune/layers/layer_rewrites.h"

namespace hone::tune {

/// Returns the way that is usually the fastest. The layer must have ways.
[[nodiscard]] Way likelyWay(const model::Layer& layer);

/// Returns the layers that can be rewritten, each in its likely way.
[[nodiscard]] std::vector<LayerChoice> likelyChoices(std::span<const model::Layer> layers);

/// The best known way per layer, by Layer::key().
using KnownWays = std::map<std::string, Way>;

struct LayerSearchOptions {
  std::string scope;               ///< identifies the program within the run
  std::vector<std::string> flags;  ///< the target's and the user's
  std::uint64_t seed = 1;
  KnownWays known;
};

/// Chooses the way of each layer by measuring it alone, most expensive first. Layers of equal shape
/// are measured once; those with a known way not at all. Layers that are not measured before
/// `fraction` of the clock's time is used get their likely way. Every trial is recorded in the run.
class LayerSearch {
 public:
  LayerSearch(const engine::TrialContext& bench, LayerSearchOptions options)
      : bench_(bench), options_(std::move(options)) {}

  [[nodiscard]] Result<std::vector<LayerChoice>> run(std::span<const model::Layer> layers,
                                                     const engine::BudgetClock& clock,
                                                     double fraction);

  /// Returns the measured layers with their times, in the order of measurement.
  [[nodiscard]] const std::vector<model::TunedLayer>& measured() const { return measured_; }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  /// Measures all ways of a layer; returns the fastest, or the likely one if none runs.
  [[nodiscard]] Result<Way> measure(const model::Layer& layer);

  engine::TrialContext bench_;
  LayerSearchOptions options_;
  std::vector<model::TunedLayer> measured_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::tune
