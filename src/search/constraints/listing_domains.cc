#include "search/constraints/listing_domains.h"

#include <algorithm>
#include <numeric>

namespace hone::search {
namespace {

/// A range of more values is not listed, and an assertion of one variable is asked about all.
constexpr std::int64_t kWidest = std::int64_t{1} << 20U;
/// An assertion of several variables is asked about at most so many combinations.
constexpr std::int64_t kMostCombinations = 20'000;

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

  /// The assertion with the fewest combinations goes first: it makes those of the others fewer.
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
      const auto combinations = pending_[i] ? combinationsOf(*assertions_[i]) : std::nullopt;
      if (combinations && (!best || *combinations < fewest)) {
        best = i;
        fewest = *combinations;
      }
    }
    return best;
  }

  /// Nothing where they are too many.
  [[nodiscard]] std::optional<std::int64_t> combinationsOf(
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
      if (combinations > (free > 1 ? kMostCombinations : kWidest)) {
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

  /// Combinations that would support nothing new are passed over.
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
  std::vector<const Constraints::Assertion*> assertions_;  ///< each once
  std::vector<bool> pending_;  ///< those whose variables changed since they were asked
  std::vector<std::vector<bool>> supported_;
  std::vector<std::size_t> at_;
};

}  // namespace

bool Domain::contains(std::int64_t value) const {
  return !listed || std::binary_search(values.begin(), values.end(), value);
}

std::vector<Domain> domainsOf(const Constraints& constraints) {
  std::vector<Domain> domains;
  for (const Variable& variable : constraints.variables()) {
    Domain& domain = domains.emplace_back();
    if (!variable.lower || !variable.upper || *variable.upper - *variable.lower >= kWidest) {
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
