#pragma once

#include <memory>
#include <string>

#include "engine/plan/experiment.h"
#include "knobs/knob_model.h"
#include "search/strategy/strategy.h"

namespace hone::tune {

/// Proposes configs of one dispatch, chosen by a search strategy. The model must outlive it.
class SpaceProposer : public engine::Proposer {
 public:
  /// `dispatch` is a pattern of the names of the dispatches to configure.
  SpaceProposer(const knobs::KnobModel& model, std::unique_ptr<search::Strategy> strategy,
                std::string dispatch)
      : model_(model), strategy_(std::move(strategy)), dispatch_(std::move(dispatch)) {}

  [[nodiscard]] Result<std::vector<model::Config>> propose(std::size_t count) override;
  [[nodiscard]] model::ProposalNote noteOn(const model::Config& config) const override;
  void learn(const model::Config& config, std::optional<double> timeNs) override;

  /// Returns the configs of these points.
  [[nodiscard]] Result<std::vector<model::Config>> makeConfigs(
      std::span<const std::size_t> points) const;

 private:
  const knobs::KnobModel& model_;
  std::unique_ptr<search::Strategy> strategy_;
  std::string dispatch_;
};

}  // namespace hone::tune
