#include "engine/budget.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "engine/machine_lock.h"

namespace hone::engine {
namespace {

/// Largest number in a budget; hours of it fit into 64 bits of nanoseconds.
constexpr std::int64_t kMaxNumber = 1'000'000;

std::optional<std::int64_t> parseWithUnit(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) {
    return std::nullopt;
  }
  const auto number = parseInt(text.substr(0, text.size() - unit.size()));
  if (!number || *number <= 0 || *number > kMaxNumber) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Result<Budget> budgetFrom(std::string_view text) {
  Budget budget;
  for (const std::string& part : splitAt(text, ',')) {
    if (const auto trials = parseWithUnit(part, "trials")) {
      budget.trials = trials;
    } else if (const auto seconds = parseWithUnit(part, "s")) {
      budget.time = std::chrono::seconds(*seconds);
    } else if (const auto minutes = parseWithUnit(part, "m")) {
      budget.time = std::chrono::minutes(*minutes);
    } else if (const auto hours = parseWithUnit(part, "h")) {
      budget.time = std::chrono::hours(*hours);
    } else {
      return userError("invalid budget '{}'; use 90s, 10m, 1h, 200trials or 10m,200trials", part);
    }
  }
  return budget;
}

Budget divideBudget(const Budget& budget, std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  Budget part = budget;
  if (part.time) {  // 0 would be unlimited
    part.time = std::max(*part.time / count, std::chrono::milliseconds(1));
  }
  if (part.trials) {
    part.trials = std::max<std::int64_t>(*part.trials / count, 1);
  }
  return part;
}

BudgetClock::BudgetClock(const Budget& budget, std::function<std::int64_t()> now)
    : now_(std::move(now)),
      startNs_(now_()),
      waitedBeforeNs_(MachineLock::waitedNs()),
      allowedNs_(budget.time ? budget.time->count() * 1'000'000 : 0) {}

std::int64_t BudgetClock::usedNs() const {
  return now_() - startNs_ - (MachineLock::waitedNs() - waitedBeforeNs_);
}

std::chrono::milliseconds BudgetClock::used() const {
  return std::chrono::milliseconds(usedNs() / 1'000'000);
}

bool BudgetClock::spent(double fraction) const {
  return allowedNs_ > 0 &&
         static_cast<double>(usedNs()) >= fraction * static_cast<double>(allowedNs_);
}

std::optional<std::chrono::milliseconds> BudgetClock::leftUntil(double fraction) const {
  if (allowedNs_ == 0) {
    return std::nullopt;
  }
  const double leftNs = fraction * static_cast<double>(allowedNs_) - static_cast<double>(usedNs());
  return std::chrono::milliseconds(
      std::max<std::int64_t>(static_cast<std::int64_t>(leftNs / 1e6), 0));
}

std::int64_t BudgetClock::deadlineNs(double fraction) const {
  const auto left = leftUntil(fraction);
  return left ? now_() + left->count() * 1'000'000 : 0;
}

Budget BudgetClock::left() const {
  Budget budget;
  if (allowedNs_ > 0) {
    const std::int64_t leftMs = (allowedNs_ - usedNs()) / 1'000'000;
    budget.time = std::chrono::milliseconds(std::max<std::int64_t>(leftMs, 1));
  }
  return budget;
}

}  // namespace hone::engine
