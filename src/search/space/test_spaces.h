#pragma once

#include <array>
#include <cmath>

#include "base/random.h"
#include "search/space/recording.h"

namespace hone::search {

/// A synthetic space that resembles tile spaces: multiplicative effects, interior optima,
/// interacting pairs of knobs, a cliff where registers spill, large tiles that fail, and 2 % noise.
/// Some spaces are nearly flat. Each seed gives a different one.
class SyntheticSpace {
 public:
  explicit SyntheticSpace(std::uint64_t seed) : random_(seed) {
    for (Effect* effect : {&rows_, &columns_, &innerRows_, &innerColumns_, &depth_}) {
      *effect = {random_.uniform(), 0.2 + 1.3 * random_.uniform()};
    }
    innerColumns_.strength += 0.5;
    // NOLINTBEGIN(cppcoreguidelines-prefer-member-initializer): the order of the draws matters
    balance_ = 0.5 * random_.uniform();
    registers_ = 32 << random_.below(3);
    failing_ = 12 + static_cast<double>(random_.below(4));
    strength_ = 1.0 / static_cast<double>(1 + random_.below(4));
    peeling_ = 0.3 * (random_.uniform() - 0.5);
    // NOLINTEND(cppcoreguidelines-prefer-member-initializer)
    for (double& one : order_) {
      one = 0.5 * random_.uniform();
    }
  }

  [[nodiscard]] Recording record() {
    Recording recording{"made up",
                        {{"rows", {8, 16, 32, 64, 128, 256}},
                         {"columns", {8, 16, 32, 64, 128, 256}},
                         {"inner_rows", {1, 2, 4, 8, 16}},
                         {"inner_columns", {4, 8, 16, 32}},
                         {"depth", {1, 4, 16}},
                         {"peel", {0, 1}},
                         {"order", {0, 1, 2}, false}},
                        {}};
    addPoints(recording, {});
    // The size of a realistic measured space.
    random_.shuffle(std::span(recording.points));
    recording.points.resize(std::min<std::size_t>(recording.points.size(), 1000));
    recording.sort();
    return recording;
  }

 private:
  struct Effect {
    double at = 0, strength = 0;

    [[nodiscard]] double of(double position) const {
      return strength * (position - at) * (position - at) * 2;
    }
  };

  void addPoints(Recording& recording, std::vector<std::int64_t> values) {
    if (values.size() == recording.knobs.size()) {
      if (values[0] % values[2] == 0 && values[1] % values[3] == 0) {
        recording.points.push_back(pointAt(std::move(values)));
      }
      return;
    }
    for (const std::int64_t value : recording.knobs[values.size()].values) {
      std::vector<std::int64_t> longer = values;
      longer.push_back(value);
      addPoints(recording, std::move(longer));
    }
  }

  RecordedPoint pointAt(std::vector<std::int64_t> values) {
    const auto log = [&](std::size_t knob) { return std::log2(static_cast<double>(values[knob])); };
    if (log(0) + log(1) + log(4) / 2 > failing_) {
      return {std::move(values), std::nullopt, "shared memory exceeded"};
    }
    double cost = rows_.of((log(0) - 3) / 5) + columns_.of((log(1) - 3) / 5) +
                  innerRows_.of(log(2) / 4) + innerColumns_.of((log(3) - 2) / 3) +
                  depth_.of(log(4) / 4) + balance_ * std::abs(log(0) - log(1)) / 5 +
                  peeling_ * static_cast<double>(values[5]) +
                  order_[static_cast<std::size_t>(values[6])];
    if (values[2] * values[3] > registers_) {
      cost += 0.7;  // spills
    }
    cost *= strength_;
    cost += 0.02 * (random_.uniform() + random_.uniform() + random_.uniform() - 1.5) * 2;
    return {std::move(values), 1e6 * std::exp(cost), ""};
  }

  Random random_;
  Effect rows_, columns_, innerRows_, innerColumns_, depth_;
  double balance_ = 0, failing_ = 0, peeling_ = 0, strength_ = 1;
  std::int64_t registers_ = 0;
  std::array<double, 3> order_{};
};

}  // namespace hone::search
