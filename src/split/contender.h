#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile_job.h"
#include "iree/execution.h"
#include "store/store.h"
#include "trial/rounds.h"
#include "trial/sampler.h"
#include "trial/verifier.h"

namespace hone::split {

/// A compiled way to compute a problem, as a trial.
struct Contender {
  store::Trial trial;
  iree::Call call;
  double lookNs = 0;     ///< the time of its first call; 0 where it did not run
  bool stopped = false;  ///< that call was not waited for: it takes longer than `lookNs`

  [[nodiscard]] bool runs() const { return trial.outcome == model::Outcome::ok; }
};

/// The trials of a run as they are made; what the run had before is taken from the store.
class Contenders {
 public:
  Contenders(store::Store& store, std::int64_t run, const trial::Sampler& sampler)
      : store_(store), run_(run), sampler_(sampler) {}

  /// Learns what the run did before.
  [[nodiscard]] Result<void> restore();
  /// Looks at what compiled, verifies it and adds its trial, whose key, problem and config are set;
  /// one of the same key that was added before is taken as it ended. With a time to beat, what is
  /// hopelessly slower than that is stopped or left at the look, unverified: it can win nothing.
  [[nodiscard]] Result<void> add(Contender& contender, const iree::CompileReport& report,
                                 trial::Verifier& verifier, double toBeatNs = 0);
  /// One to be measured, at the pace that its first call asks for.
  [[nodiscard]] trial::Participant participant(const Contender& contender) const;
  [[nodiscard]] const std::vector<store::TrialSample>& recorded() const { return recorded_; }

 private:
  [[nodiscard]] Result<void> verify(Contender& contender, trial::Verifier& verifier) const;

  store::Store& store_;
  std::int64_t run_;
  const trial::Sampler& sampler_;
  std::map<std::string, store::Trial> trials_;  ///< by key
  std::vector<store::TrialSample> recorded_;
};

}  // namespace hone::split
