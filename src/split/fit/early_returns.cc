#include "split/fit/early_returns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "split/fit/ladder/boundaries.h"

namespace hone::split {
namespace {

using Constant = std::int64_t EarlyReturns::*;
constexpr std::array<Constant, 4> kConstants = {&EarlyReturns::largeParallel,
                                                &EarlyReturns::smallReduction, &EarlyReturns::ratio,
                                                &EarlyReturns::modestReduction};

/// Up to this number of candidates per constant, all combinations of the first three are tried;
/// beyond it, one constant at a time.
constexpr std::size_t kMaxCombinedCandidates = 10;
constexpr std::size_t kMaxCandidates = 64;
constexpr Objective kRounding{.value = 1e-9};

/// A case whose cost depends on whether it is skipped.
struct OpenCase {
  const model::Reduction* reduction = nullptr;
  Objective gain;  ///< gain of skipping it
};

/// Returns the distance of a constant from the compiler's, on a log scale.
double distance(std::int64_t value, std::int64_t present) {
  return std::abs(std::log(static_cast<double>(value + 1) / static_cast<double>(present + 1)));
}

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& values, std::size_t most) {
  if (values.size() <= most) {
    return values;
  }
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < most; ++i) {
    kept.push_back(values[i * (values.size() - 1) / (most - 1)]);
  }
  return kept;
}

/// Returns constants that separate the measured sizes in all possible ways, rounded if possible.
std::vector<std::int64_t> listCandidates(const std::set<std::int64_t>& measures) {
  std::set<std::int64_t> candidates = {0, decimalAbove(*measures.rbegin())};
  for (auto low = measures.begin(), high = std::next(low); high != measures.end(); ++low, ++high) {
    candidates.insert(decimalBetween(*low, *high));
    if (*high == *low + 1) {
      candidates.insert(*low);  // conditions use both < and <=
    }
  }
  return {candidates.begin(), candidates.end()};
}

class Search {
 public:
  Search(const Heuristic& heuristic, const Cases& cases)
      : form_(heuristic.form), present_(compilersReturns(heuristic.form, heuristic.kind)) {
    for (const Case& one : cases.all) {
      if (one.skipCost.unmeasured > 0 && skips(form_, present_, one.shape->reduction)) {
        continue;  // there is no time to compare the compiler's decision with
      }
      const Objective gain =
          costUnder(cases, heuristic.ladder, one).objective() - one.skipCost.objective();
      const EarlyReturns measures = computeMeasures(form_, one.shape->reduction);
      for (std::size_t i = 0; i < kConstants.size(); ++i) {
        measures_[i].insert(measures.*kConstants[i]);
      }
      if (gain != Objective{}) {
        open_.push_back({&one.shape->reduction, gain});
      }
    }
  }

  EarlyReturns run() {
    best_ = present_;
    bestScore_ = computeScore(present_);
    if (open_.empty()) {
      return present_;
    }
    combine();
    while (refine()) {
    }
    return best_;
  }

 private:
  /// Returns the saving by skipping, less the price of every changed constant.
  [[nodiscard]] Objective computeScore(const EarlyReturns& returns) const {
    Objective score;
    for (const OpenCase& one : open_) {
      score += skips(form_, returns, *one.reduction) ? one.gain : Objective{};
    }
    for (const Constant constant : kConstants) {
      score.value -= returns.*constant == present_.*constant ? 0 : kRungCost;
    }
    return score;
  }

  bool consider(const EarlyReturns& returns) {
    const Objective score = computeScore(returns);
    if (score <= bestScore_ + kRounding) {
      return false;
    }
    best_ = returns;
    bestScore_ = score;
    return true;
  }

  /// Returns candidates, nearest to the compiler's constant first: they win ties.
  [[nodiscard]] std::vector<std::int64_t> candidates(std::size_t constant, std::size_t most) const {
    const std::int64_t present = present_.*kConstants[constant];
    std::vector<std::int64_t> values = thinned(listCandidates(measures_[constant]), most);
    values.push_back(present);
    std::stable_sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) {
      return distance(a, present) < distance(b, present);
    });
    return values;
  }

  void combine() {
    const auto parallel = candidates(0, kMaxCombinedCandidates);
    const auto reduction = candidates(1, kMaxCombinedCandidates);
    const auto ratio = candidates(2, kMaxCombinedCandidates);
    for (const std::int64_t p : parallel) {
      for (const std::int64_t s : reduction) {
        for (const std::int64_t r : ratio) {
          consider({p, s, r, present_.modestReduction});
        }
      }
    }
  }

  bool refine() {
    bool better = false;
    for (std::size_t i = 0; i < kConstants.size(); ++i) {
      if (form_ == SourceForm::chain && kConstants[i] == &EarlyReturns::modestReduction) {
        continue;  // the form has no such condition
      }
      for (const std::int64_t value : candidates(i, kMaxCandidates)) {
        EarlyReturns changed = best_;
        changed.*kConstants[i] = value;
        better = consider(changed) || better;
      }
    }
    return better;
  }

  SourceForm form_;
  EarlyReturns present_, best_;
  Objective bestScore_;
  std::vector<OpenCase> open_;
  std::array<std::set<std::int64_t>, kConstants.size()> measures_;
};

}  // namespace

EarlyReturns fitReturns(const Heuristic& heuristic, const Cases& cases) {
  return Search(heuristic, cases).run();
}

}  // namespace hone::split
