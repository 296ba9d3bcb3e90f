#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/rounds.h"
#include "engine/sampler.h"
#include "engine/verifier.h"
#include "iree/compile/compile_job.h"
#include "iree/run/execution.h"
#include "store/store.h"

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
  Contenders(store::Store& store, std::int64_t run, const engine::Sampler& sampler)
      : store_(store), run_(run), sampler_(sampler) {}

  /// Learns what the run did before.
  [[nodiscard]] Result<void> restore();
  /// The first call of what compiled, added as a trial, whose key, problem and config are set; one
  /// of the same key that was added before is taken as it was left. With a time to beat, what is
  /// hopelessly slower than that is not waited for; `atLeastNs` is what it is known to take then.
  [[nodiscard]] Result<void> look(Contender& contender, const iree::CompileReport& report,
                                  double toBeatNs = 0, double atLeastNs = 0);
  /// Adds one that is not tried, since it would surely take longer than the bound.
  [[nodiscard]] Result<void> skip(Contender& contender, double boundNs, std::string why);
  /// Leaves one at its look, unverified, that is hopelessly slower than the time to beat: it can
  /// win nothing.
  [[nodiscard]] Result<void> leaveHopeless(Contender& contender, double toBeatNs);
  /// Checks what one computes, once.
  [[nodiscard]] Result<void> verify(Contender& contender, engine::Verifier& verifier);
  /// Adds a trial of the same binary, which is neither looked at nor verified again.
  [[nodiscard]] Result<void> addTwin(Contender& twin, const Contender& of);
  /// No more than a look is worth it beside this time.
  [[nodiscard]] static bool isHopeless(const Contender& contender, double toBeatNs);
  /// One to be measured, at the pace that its first call asks for.
  [[nodiscard]] engine::Participant participant(const Contender& contender) const;
  [[nodiscard]] const std::vector<store::TrialSample>& recorded() const { return recorded_; }

 private:
  [[nodiscard]] Result<void> add(Contender& contender, std::span<const model::Sample> samples);
  static void giveUp(Contender& contender, double boundNs, std::string why);

  store::Store& store_;
  std::int64_t run_;
  const engine::Sampler& sampler_;
  std::map<std::string, store::Trial> trials_;  ///< by key
  std::vector<store::TrialSample> recorded_;
};

}  // namespace hone::split
