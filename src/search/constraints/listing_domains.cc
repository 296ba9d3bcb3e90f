#include "search/constraints/listing_domains.h"

#include <algorithm>
#include <numeric>

namespace hone::search {
namespace {

/// Larger ranges are not listed. An assertion on one variable is checked for all its values.
constexpr std::int64_t kMaxRange = std::int64_t{1} << 20U;
/// Limit of combinations checked for an assertion on several variables.
constexpr std::int64_t kMaxCombinations = 20'000;

class Filter {
 public:
  Filter(const Constraints& constraints, std::vector<Domain> domains)
      : domains_(std::move(domains)), evaluation_(constraints) {
    std::vector<bool> known(constraints.terms().size());
    for (const Constraints::Assertion& assertion : constraints.assertions()) {
      if (!known[assertion.term] && !assertion.variables.empty()) {
        assertions_.push_back(&assertion);
      }
      known[assertion.term] = true;
    }
    pending_.resize(assertions_.size(), true);
  }

  /// Processes the assertion with the fewest combinations first: it narrows the domains of the
  /// others.
  std::vector<Domain> run() {
    for (auto next = cheapest(); next; next = cheapest()) {
      pending_[*next] = false;
      filter(*assertions_[*next]);
    }
    return std::move(domains_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> cheapest() const {
    std::optional<std::size_t> best;
    std::int64_t fewest = 0;
    for (std::size_t i = 0; i < assertions_.size(); ++i) {
      const auto combinations = pending_[i] ? countCombinations(*assertions_[i]) : std::nullopt;
      if (combinations && (!best || *combinations < fewest)) {
        best = i;
        fewest = *combinations;
      }
    }
    return best;
  }

  /// Returns nothing if there are too many.
  [[nodiscard]] std::optional<std::int64_t> countCombinations(
      const Constraints::Assertion& assertion) const {
    std::int64_t combinations = 1;
    int free = 0;
    for (const std::size_t variable : assertion.variables) {
      const auto size = static_cast<std::int64_t>(domains_[variable].values.size());
      if (!domains_[variable].listed) {
        return std::nullopt;
      }
      free += size > 1 ? 1 : 0;
      combinations *= size;
      if (combinations > (free > 1 ? kMaxCombinations : kMaxRange)) {
        return std::nullopt;
      }
    }
    return combinations;
  }

  void filter(const Constraints::Assertion& assertion) {
    supported_.clear();
    for (const std::size_t variable : assertion.variables) {
      supported_.emplace_back(domains_[variable].values.size());
    }
    at_.assign(assertion.variables.size(), 0);
    tryAll(assertion, 0, false);
    for (std::size_t i = 0; i < assertion.variables.size(); ++i) {
      keepSupported(assertion.variables[i], supported_[i]);
    }
  }

  /// Skips combinations that cannot support a new value.
  void tryAll(const Constraints::Assertion& assertion, std::size_t place, bool useful) {
    if (place == assertion.variables.size()) {
      if (useful && evaluation_.check(assertion) == Truth::yes) {
        for (std::size_t i = 0; i < at_.size(); ++i) {
          supported_[i][at_[i]] = true;
        }
      }
      return;
    }
    const std::vector<std::int64_t>& values = domains_[assertion.variables[place]].values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      at_[place] = i;
      evaluation_.assign(assertion.variables[place], values[i]);
      tryAll(assertion, place + 1, useful || !supported_[place][i]);
    }
  }

  void keepSupported(std::size_t variable, const std::vector<bool>& supported) {
    std::vector<std::int64_t>& values = domains_[variable].values;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (supported[i]) {
        values[kept++] = values[i];
      }
    }
    if (kept == values.size()) {
      return;
    }
    values.resize(kept);
    for (std::size_t i = 0; i < assertions_.size(); ++i) {
      const std::vector<std::size_t>& about = assertions_[i]->variables;
      pending_[i] = pending_[i] || std::binary_search(about.begin(), about.end(), variable);
    }
  }

  std::vector<Domain> domains_;
  Evaluation evaluation_;
  std::vector<const Constraints::Assertion*> assertions_;  ///< without duplicates
  std::vector<bool> pending_;  ///< assertions whose variables changed since their last check
  std::vector<std::vector<bool>> supported_;
  std::vector<std::size_t> at_;
};

}  // namespace

bool Domain::contains(std::int64_t value) const {
  return !listed || std::binary_search(values.begin(), values.end(), value);
}

std::vector<Domain> computeDomains(const Constraints& constraints) {
  std::vector<Domain> domains;
  for (const Variable& variable : constraints.variables()) {
    Domain& domain = domains.emplace_back();
    if (!variable.lower || !variable.upper || *variable.upper - *variable.lower >= kMaxRange) {
      continue;
    }
    domain.listed = true;
    domain.values.resize(
        static_cast<std::size_t>(std::max<std::int64_t>(*variable.upper - *variable.lower + 1, 0)));
    std::iota(domain.values.begin(), domain.values.end(), *variable.lower);
  }
  return Filter(constraints, std::move(domains)).run();
}

}  // namespace hone::search
