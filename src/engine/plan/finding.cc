#include "engine/plan/finding.h"

namespace hone::engine {

const Finding* findWinner(const std::vector<Finding>& findings) {
  const Finding* best = nullptr;
  for (const Finding& finding : findings) {
    const auto& comparison = finding.comparison;
    // A candidate that failed after it was compared must not win.
    const bool sound =
        finding.outcome == model::Outcome::ok || finding.outcome == model::Outcome::tooSlow;
    if (sound && comparison && comparison->verdict == stats::Verdict::improved &&
        (best == nullptr || comparison->speedup.estimate > best->comparison->speedup.estimate)) {
      best = &finding;
    }
  }
  return best;
}

}  // namespace hone::engine
