#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/result/outcome.h"
#include "report/data/trial_times.h"
#include "store/records.h"

namespace hone::report {

/// Something that a run measured, and that another run may have measured as well.
struct Measured {
  std::string key;     ///< equal for the same in two runs
  std::string label;   ///< for people
  std::string choice;  ///< what the run chose, where it chooses; else ""
  std::string artifact;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::vector<double> timesNs;  ///< one a round of the last stage that it reached
};

/// What a run is about, in the order of its trials. Of a bench and a profile that is every
/// candidate. Of a run that chooses, each problem has two: the default and the choice (of `tune`
/// for each dispatch and the whole program; of `kernel` also PyTorch).
[[nodiscard]] std::vector<Measured> measuredOf(const store::Run& run,
                                               std::span<const store::Trial> trials,
                                               const TrialTimes& times);

}  // namespace hone::report
