#include "search/strategy/evolve.h"

#include "search/strategy/guided.h"
#include "search/strategy/surrogate.h"

namespace hone::search {
namespace {

constexpr std::size_t kParents = 6;
constexpr int kCrossedChildren = 4;
constexpr std::size_t kExploredPoints = 120;

class Evolve final : public Guided {
 public:
  Evolve(const Space& space, const StrategyOptions& options)
      : Guided(space, options), surrogate_(features()) {}

 protected:
  void learn() override { surrogate_.learn(trials()); }

  std::vector<std::size_t> candidates() override {
    std::vector<std::size_t> points;
    const std::vector<std::size_t> parents = best(kParents);
    for (const std::size_t parent : parents) {
      const std::vector<std::size_t>& near = neighbours().of(parent);
      points.insert(points.end(), near.begin(), near.end());
    }
    for (int i = 0; i < kCrossedChildren; ++i) {
      const std::size_t mother = parents[random().below(parents.size())];
      const std::size_t father = parents[random().below(parents.size())];
      points.push_back(neighbours().child(mother, father, random()));
    }
    addOpen(points, kExploredPoints);
    return points;
  }

  double expectedGain(std::size_t point) const override { return surrogate_.expectedGain(point); }

 private:
  Surrogate surrogate_;
};

}  // namespace

std::unique_ptr<Strategy> makeEvolve(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Evolve>(space, options);
}

}  // namespace hone::search
