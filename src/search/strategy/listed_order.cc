#include "search/strategy/listed_order.h"

#include <numeric>

#include "base/random.h"
#include "search/space/trials.h"

namespace hone::search {
namespace {

/// Visits the points in a fixed order.
class ListedOrder final : public Strategy {
 public:
  ListedOrder(std::vector<std::size_t> order, std::size_t points)
      : order_(std::move(order)), trials_(points) {}

  std::vector<std::size_t> ask(std::size_t count) override {
    std::vector<std::size_t> points;
    for (; next_ < order_.size() && points.size() < count; ++next_) {
      if (trials_.isOpen(order_[next_])) {
        trials_.use(order_[next_]);
        points.push_back(order_[next_]);
      }
    }
    return points;
  }

  void tell(std::size_t point, std::optional<double> timeNs) override {
    trials_.tell(point, timeNs);
  }

 private:
  std::vector<std::size_t> order_;
  Trials trials_;
  std::size_t next_ = 0;
};

std::vector<std::size_t> allPoints(const Space& space) {
  std::vector<std::size_t> all(space.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

std::unique_ptr<Strategy> makeRandom(const Space& space, const StrategyOptions& options) {
  std::vector<std::size_t> order = allPoints(space);
  Random(options.seed).shuffle(std::span(order));
  return std::make_unique<ListedOrder>(std::move(order), space.size());
}

std::unique_ptr<Strategy> makeExhaustive(const Space& space, const StrategyOptions& options) {
  std::vector<std::size_t> order = options.first;
  const std::vector<std::size_t> all = allPoints(space);
  order.insert(order.end(), all.begin(), all.end());
  return std::make_unique<ListedOrder>(std::move(order), space.size());
}

}  // namespace hone::search
