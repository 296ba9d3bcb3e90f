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

  [[nodiscard]] bool runs() const { return trial.outcome == model::Outcome::ok; }
};

/// The trials of a run as they are made; what the run had before is taken from the store.
class Contenders {
 public:
  Contenders(store::Store& store, std::int64_t run, const trial::Sampler& sampler)
      : store_(store), run_(run), sampler_(sampler) {}

  /// Learns what the run did before.
  [[nodiscard]] Result<void> restore();
  /// Verifies what compiled and adds its trial, whose key, problem and config are set; one of the
  /// same key that was added before is taken as it ended.
  [[nodiscard]] Result<void> add(Contender& contender, const iree::CompileReport& report,
                                 trial::Verifier& verifier);
  /// One that can be measured, at its pace; nothing, and its outcome noted, where it does not run.
  [[nodiscard]] Result<std::optional<trial::Participant>> participant(Contender& contender);
  [[nodiscard]] const std::vector<store::TrialSample>& recorded() const { return recorded_; }

 private:
  store::Store& store_;
  std::int64_t run_;
  const trial::Sampler& sampler_;
  std::map<std::string, store::Trial> trials_;  ///< by key
  std::vector<store::TrialSample> recorded_;
};

}  // namespace hone::split
