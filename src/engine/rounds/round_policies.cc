#include "engine/rounds/round_policies.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "stats/summary.h"

namespace hone::engine {
namespace {

constexpr std::size_t kTwin = 1;
/// Resamples for the precision check; reported intervals use more.
constexpr std::size_t kPrecisionResamples = 500;

}  // namespace

std::vector<std::size_t> RacePolicy::next(std::int64_t /*number*/) {
  return race_.done() ? std::vector<std::size_t>{} : race_.order();
}

void RacePolicy::add(const RoundTimes& times) {
  rounds_.push_back(times);
  race_.addRound(times);
}

std::vector<std::size_t> FinalPolicy::next(std::int64_t number) {
  const bool over = number >= options_.maxRounds || failed_[0];
  const bool isCheckpoint = number > 0 && number % options_.rounds == 0;
  if (over || (isCheckpoint && !compareAll())) {
    return {};
  }
  std::vector<std::size_t> order = shuffled(all_.size(), options_.compare.seed, number);
  std::erase_if(order, [this](std::size_t index) { return failed_[index]; });
  return order;
}

void FinalPolicy::add(const RoundTimes& times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    failed_[i] = failed_[i] || !times[i];
    if (failed_[i]) {
      all_[i] = {};
    } else {
      all_[i].timesNs.push_back(*times[i]);
    }
  }
}

bool FinalPolicy::compareAll() {
  bool ambiguous = false;
  for (std::size_t i = kTwin + 1; i < all_.size(); ++i) {
    const auto& baseline = all_[0].timesNs;
    const bool comparable = !baseline.empty() && all_[i].timesNs.size() == baseline.size() &&
                            all_[kTwin].timesNs.size() == baseline.size();
    if (comparable) {
      all_[i].comparison =
          stats::compare({baseline, all_[i].timesNs, all_[kTwin].timesNs}, options_.compare);
      ambiguous = ambiguous || all_[i].comparison->verdict == stats::Verdict::ambiguous;
    }
  }
  return ambiguous;
}

const std::vector<FinalTimes>& FinalPolicy::result() {
  static_cast<void>(compareAll());
  return all_;
}

PrecisionPolicy::PrecisionPolicy(std::size_t participants, PrecisionOptions options)
    : options_(std::move(options)), times_(participants), running_(participants) {
  std::iota(running_.begin(), running_.end(), std::size_t{0});
}

std::vector<std::size_t> PrecisionPolicy::next(std::int64_t number) {
  if (number >= options_.minRounds) {
    dropSlow();
  }
  if (number >= options_.maxRounds ||
      (number >= options_.minRounds &&
       std::ranges::all_of(running_, [this](std::size_t index) { return isPrecise(index); }))) {
    return {};
  }
  measured_ = running_;
  std::vector<std::size_t> order;
  for (const std::size_t at : shuffled(running_.size(), options_.seed, number)) {
    order.push_back(running_[at]);
  }
  return order;
}

void PrecisionPolicy::add(const RoundTimes& times) {
  for (const std::size_t index : measured_) {
    if (times[index]) {
      times_[index].push_back(*times[index]);
    } else {
      times_[index].clear();
      std::erase(running_, index);
    }
  }
}

double PrecisionPolicy::fastestNs(std::size_t index) const {
  const double measured = *std::ranges::min_element(times_[index]);
  return options_.screenNs.empty() ? measured : std::min(measured, options_.screenNs[index]);
}

void PrecisionPolicy::dropSlow() {
  if (options_.dropFactor <= 0) {
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t index : running_) {
    best = std::min(best, fastestNs(index));
  }
  std::erase_if(running_,
                [&](std::size_t index) { return fastestNs(index) > options_.dropFactor * best; });
}

bool PrecisionPolicy::isPrecise(std::size_t index) const {
  const std::vector<double>& times = times_[index];
  if (!options_.screenNs.empty()) {
    const double known = (1 + options_.precision) * fastestNs(index);
    const auto close = std::ranges::count_if(times, [&](double time) { return time <= known; });
    return close + (options_.screenNs[index] <= known ? 1 : 0) > options_.minRounds;
  }
  const auto interval = stats::bootstrapMedian(times, 0.95, options_.seed, kPrecisionResamples);
  const double allowed = options_.precision * interval.estimate;
  return interval.high - interval.estimate <= allowed &&
         interval.estimate - interval.low <= allowed;
}

}  // namespace hone::engine
