#pragma once

#include <map>
#include <memory>
#include <string>

#include "search/strategy.h"
#include "trial/experiment.h"
#include "tune/knob_model.h"

namespace hone::tune {

/// The values of a point as people read them and pointNamed reads them back:
/// "rows=64 columns=32 peel=1".
[[nodiscard]] std::string pointName(const search::Space& space, std::size_t point);
/// The point of that name, if the space has it.
[[nodiscard]] std::optional<std::size_t> pointNamed(const search::Space& space,
                                                    std::string_view name);

/// Lets a strategy search the knobs of one dispatch. The model must outlive it.
class SpaceProposer : public trial::Proposer {
 public:
  /// `dispatch` is the pattern of the names of the dispatches that get the configs.
  SpaceProposer(const KnobModel& model, std::unique_ptr<search::Strategy> strategy,
                std::string dispatch)
      : model_(model), strategy_(std::move(strategy)), dispatch_(std::move(dispatch)) {}

  [[nodiscard]] Result<std::vector<model::Config>> propose(std::size_t count) override;
  void learn(const model::Config& config, std::optional<double> timeNs) override;

  /// The configs of these points.
  [[nodiscard]] Result<std::vector<model::Config>> configsOf(
      std::span<const std::size_t> points) const;

 private:
  const KnobModel& model_;
  std::unique_ptr<search::Strategy> strategy_;
  std::string dispatch_;
};

}  // namespace hone::tune
