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

/// A strategy that begins with likely and spread points and then tries what a learner expects most
/// of. Who derives from it says among which points, and what is to be expected of them.
class Guided : public Strategy {
 public:
  Guided(const Space& space, const StrategyOptions& options);

  std::vector<std::size_t> ask(std::size_t count) final;
  void tell(std::size_t point, std::optional<double> timeNs) final;

 protected:
  /// Called before points are to be chosen, where something was told since; at least one trial did
  /// not fail.
  virtual void learn() = 0;
  /// Points to choose from; one that is not open is passed over, and so is one that comes again.
  [[nodiscard]] virtual std::vector<std::size_t> candidates() = 0;
  [[nodiscard]] virtual double gainOf(std::size_t point) const = 0;

  [[nodiscard]] const Features& features() const { return features_; }
  [[nodiscard]] const Trials& trials() const { return trials_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] Neighbours& neighbours() { return neighbours_; }
  /// The points of the fastest trials.
  [[nodiscard]] std::vector<std::size_t> best(std::size_t most) const;
  /// All open points where they are about as few, else some, that can come again.
  void addOpen(std::vector<std::size_t>& points, std::size_t count);

 private:
  /// The next of the points to begin with.
  [[nodiscard]] std::optional<std::size_t> nextToBeginWith();
  [[nodiscard]] bool hasBegun() const;
  void choose(std::size_t count, std::vector<std::size_t>& chosen);

  Coordinates coordinates_;
  Features features_;
  Neighbours neighbours_;
  Random random_;
  Trials trials_;
  std::vector<std::size_t> beginning_;
  std::size_t givenFirst_ = 0;  ///< how many of the beginning the options named
  std::size_t nextBeginning_ = 0;
  bool news_ = false;
};

}  // namespace hone::search
