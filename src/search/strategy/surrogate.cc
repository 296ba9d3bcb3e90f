#include "search/strategy/surrogate.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace hone::search {
namespace {

constexpr std::size_t kMaxProcessSamples = 72;
constexpr std::size_t kMaxFailureSamples = 150;
constexpr std::size_t kMaxParameterSamples = 40;
constexpr std::size_t kMinTrialsToLearn = 5;
/// Times above the best by more than this factor are clamped.
constexpr double kMaxSlowdown = 6;
/// Exponent on the success probability: risky points need a large expected gain, because a failure
/// is less informative than a time.
constexpr double kFailureAversion = 3;

}  // namespace

TrainingData TrainingData::fromTimes(const Trials& trials, const Features& features,
                                     std::size_t limit) {
  const auto& told = trials.told();
  std::vector<std::size_t> numbers = trials.byTime();
  TrainingData data;
  if (numbers.empty()) {
    return data;
  }
  const double worst = *told[numbers.front()].timeNs * kMaxSlowdown;
  if (numbers.size() > limit) {  // half are the best, half the latest of the others
    std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(limit / 2), numbers.end(),
              std::greater<>());
    numbers.resize(limit);
  }
  for (const std::size_t number : numbers) {
    data.rows.push_back(features.of(told[number].point));
    data.targets.push_back(std::log(std::min(*told[number].timeNs, worst)));
  }
  return data;
}

TrainingData TrainingData::fromFailures(const Trials& trials, const Features& features,
                                        std::size_t limit) {
  const auto& told = trials.told();
  TrainingData data;
  std::size_t failures =
      std::min(trials.failed(), std::max(limit / 2, limit - std::min(limit, trials.succeeded())));
  std::size_t successes = limit - failures;
  for (const auto& trial : std::views::reverse(told)) {
    std::size_t& left = trial.timeNs ? successes : failures;
    if (left > 0) {
      --left;
      data.rows.push_back(features.of(trial.point));
      data.targets.push_back(trial.timeNs ? 0 : 1);
    }
  }
  return data;
}

Surrogate::Surrogate(const Features& features)
    : features_(features), times_(features.ordered()), failures_(1) {}

void Surrogate::learn(const Trials& trials) {
  const std::size_t count = trials.told().size();
  const bool parameters = count >= std::max(nextParameterFit_, kMinTrialsToLearn);
  if (parameters) {
    nextParameterFit_ = count + std::max<std::size_t>(count / 4, 2);
    const TrainingData some = TrainingData::fromTimes(trials, features_, kMaxParameterSamples);
    times_.learn(some.rows, some.targets);
  }
  TrainingData times = TrainingData::fromTimes(trials, features_, kMaxProcessSamples);
  best_ = *std::min_element(times.targets.begin(), times.targets.end());
  times_.fit(std::move(times.rows), std::move(times.targets));
  anyFailed_ = trials.failed() > 0;
  if (anyFailed_) {
    const TrainingData failures = TrainingData::fromFailures(trials, features_, kMaxFailureSamples);
    failures_.fit(failures.rows, failures.targets);
  }
}

double Surrogate::failureChance(std::size_t point) const {
  return anyFailed_ ? failures_.predict(features_.of(point)).mean : 0;
}

double Surrogate::expectedGain(std::size_t point) const {
  const double gain = expectedImprovement(times_.predict(features_.of(point)), best_);
  return gain * std::pow(1 - failureChance(point), kFailureAversion);
}

}  // namespace hone::search
