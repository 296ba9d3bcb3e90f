#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "search/space/coordinates.h"
#include "search/space/features.h"
#include "search/space/neighbours.h"
#include "search/space/trials.h"
#include "search/strategy/strategy.h"

namespace hone::search {

/// Base of strategies that try promising and spread points first, then the candidates with the
/// largest predicted gain. Derived classes supply the candidates and the prediction.
class Guided : public Strategy {
 public:
  Guided(const Space& space, const StrategyOptions& options);

  std::vector<std::size_t> ask(std::size_t count) final;
  void tell(std::size_t point, std::optional<double> timeNs) final;

 protected:
  /// Called before points are chosen if there are new results. At least one trial has succeeded.
  virtual void learn() = 0;
  /// Returns points to choose from. Points that are not open and duplicates are ignored.
  [[nodiscard]] virtual std::vector<std::size_t> candidates() = 0;
  [[nodiscard]] virtual double expectedGain(std::size_t point) const = 0;

  [[nodiscard]] const Features& features() const { return features_; }
  [[nodiscard]] const Trials& trials() const { return trials_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] Neighbours& neighbours() { return neighbours_; }
  /// Returns the points of the fastest trials.
  [[nodiscard]] std::vector<std::size_t> best(std::size_t limit) const;
  /// Adds all open points if there are at most twice `count`, otherwise `count` random ones, which
  /// may contain duplicates.
  void addOpen(std::vector<std::size_t>& points, std::size_t count);

 private:
  /// Returns the next of the initial points.
  [[nodiscard]] std::optional<std::size_t> nextInitial();
  [[nodiscard]] bool initialDone() const;
  void choose(std::size_t count, std::vector<std::size_t>& chosen);

  Coordinates coordinates_;
  Features features_;
  Neighbours neighbours_;
  Random random_;
  Trials trials_;
  std::vector<std::size_t> initial_;
  std::size_t givenInitial_ = 0;  ///< number of initial points given in the options
  std::size_t nextInitial_ = 0;
  bool hasNewResults_ = false;
};

}  // namespace hone::search
