#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"

namespace hone::stats {

/// Generates log times of a noisy machine, for simulations in tests.
class Noise {
 public:
  enum class Kind { quiet, heavyTailed, spikes, bursts, ownDrift };

  Noise(Kind kind, double scale, std::uint64_t seed) : kind_(kind), scale_(scale), random_(seed) {}

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random_.uniform());
  }

  /// Returns the drift of the machine, shared by all samples of a round.
  double round() { return drift_ = 0.9 * drift_ + 0.05 * normal(); }

  /// Returns the noise of a single sample; `own` is the drift state of its racer.
  double sample(double& own) {
    switch (kind_) {
      case Kind::quiet:
        return scale_ * normal();
      case Kind::heavyTailed:
        return scale_ * student3();
      case Kind::spikes:
        return scale_ * normal() + (random_.uniform() < 0.15 ? spike() : 0);
      case Kind::bursts:
        if (random_.uniform() < (burst_ > 0 ? 0.25 : 0.08)) {
          burst_ = burst_ > 0 ? 0 : 0.1 + 0.5 * random_.uniform();
        }
        return scale_ * normal() + burst_;
      case Kind::ownDrift:
        return own = 0.5 * own + scale_ * student3();
    }
    return 0;
  }

 private:
  /// Draws from Student's t distribution with 3 degrees of freedom.
  double student3() {
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      const double draw = normal();
      squares += draw * draw;
    }
    return normal() / std::sqrt(squares / 3);
  }
  double spike() { return -0.3 * std::log(1 - random_.uniform()); }

  Kind kind_;
  double scale_;
  Random random_;
  double drift_ = 0;
  double burst_ = 0;  ///< load of another process, lasting several samples
};

}  // namespace hone::stats
