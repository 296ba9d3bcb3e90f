#include "search/strategy/model.h"

#include <algorithm>

#include "search/strategy/forest.h"
#include "search/strategy/guided.h"
#include "search/strategy/surrogate.h"

namespace hone::search {
namespace {

constexpr std::size_t kModelledPoints = 300;
constexpr std::size_t kParentCount = 3;
constexpr std::size_t kMaxForestSamples = 150;

class Model final : public Guided {
 public:
  Model(const Space& space, const StrategyOptions& options)
      : Guided(space, options), times_(options.seed), failures_(options.seed + 1) {}

 protected:
  void learn() override {
    const TrainingData times = TrainingData::fromTimes(trials(), features(), kMaxForestSamples);
    times_.fit(times.rows, times.targets);
    best_ = *std::min_element(times.targets.begin(), times.targets.end());
    const TrainingData failures =
        TrainingData::fromFailures(trials(), features(), kMaxForestSamples);
    failures_.fit(failures.rows, failures.targets);
  }

  std::vector<std::size_t> candidates() override {
    std::vector<std::size_t> points;
    for (const std::size_t parent : best(kParentCount)) {
      const std::vector<std::size_t>& near = neighbours().of(parent);
      points.insert(points.end(), near.begin(), near.end());
    }
    addOpen(points, kModelledPoints);
    return points;
  }

  double expectedGain(std::size_t point) const override {
    const auto row = features().of(point);
    return expectedImprovement(times_.predict(row), best_) * (1 - failures_.predict(row).mean);
  }

 private:
  Forest times_;
  Forest failures_;
  double best_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> makeModel(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Model>(space, options);
}

}  // namespace hone::search
