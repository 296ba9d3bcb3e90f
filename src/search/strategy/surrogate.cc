#include "search/strategy/surrogate.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace hone::search {
namespace {

constexpr std::size_t kProcessLessons = 72;
constexpr std::size_t kMostFailures = 150;
constexpr std::size_t kMostForParameters = 40;
constexpr std::size_t kFirstLearning = 5;
/// What is slower than the best by more than this factor is just bad.
constexpr double kWorst = 6;
/// A failure teaches less than a time: where one is as likely as not, only much gain is worth it.
constexpr double kCaution = 3;

}  // namespace

Lessons Lessons::ofTimes(const Trials& trials, const Features& features, std::size_t most) {
  const auto& told = trials.told();
  std::vector<std::size_t> numbers = trials.byTime();
  Lessons lessons;
  if (numbers.empty()) {
    return lessons;
  }
  const double worst = *told[numbers.front()].timeNs * kWorst;
  if (numbers.size() > most) {  // half of them the best, half the latest of the others
    std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(most / 2), numbers.end(),
              std::greater<>());
    numbers.resize(most);
  }
  for (const std::size_t number : numbers) {
    lessons.rows.push_back(features.of(told[number].point));
    lessons.targets.push_back(std::log(std::min(*told[number].timeNs, worst)));
  }
  return lessons;
}

Lessons Lessons::ofFailures(const Trials& trials, const Features& features, std::size_t most) {
  const auto& told = trials.told();
  Lessons lessons;
  std::size_t failures =
      std::min(trials.failed(), std::max(most / 2, most - std::min(most, trials.succeeded())));
  std::size_t successes = most - failures;
  for (const auto& trial : std::views::reverse(told)) {
    std::size_t& left = trial.timeNs ? successes : failures;
    if (left > 0) {
      --left;
      lessons.rows.push_back(features.of(trial.point));
      lessons.targets.push_back(trial.timeNs ? 0 : 1);
    }
  }
  return lessons;
}

Surrogate::Surrogate(const Features& features)
    : features_(features), times_(features.ordered()), failures_(1) {}

void Surrogate::learn(const Trials& trials) {
  const std::size_t count = trials.told().size();
  const bool parameters = count >= std::max(nextLearning_, kFirstLearning);
  if (parameters) {
    nextLearning_ = count + std::max<std::size_t>(count / 4, 2);
    const Lessons some = Lessons::ofTimes(trials, features_, kMostForParameters);
    times_.learn(some.rows, some.targets);
  }
  Lessons times = Lessons::ofTimes(trials, features_, kProcessLessons);
  best_ = *std::min_element(times.targets.begin(), times.targets.end());
  times_.fit(std::move(times.rows), std::move(times.targets));
  anyFailed_ = trials.failed() > 0;
  if (anyFailed_) {
    const Lessons failures = Lessons::ofFailures(trials, features_, kMostFailures);
    failures_.fit(failures.rows, failures.targets);
  }
}

double Surrogate::failureChance(std::size_t point) const {
  return anyFailed_ ? failures_.predict(features_.of(point)).mean : 0;
}

double Surrogate::gainOf(std::size_t point) const {
  const double gain = expectedImprovement(times_.predict(features_.of(point)), best_);
  return gain * std::pow(1 - failureChance(point), kCaution);
}

}  // namespace hone::search
