#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/result/outcome.h"
#include "report/data/trial_times.h"
#include "store/records.h"

namespace hone::report {

/// Item measured by a run, matched with the same item of another run by its key.
struct Measured {
  std::string key;     ///< identifies the item across runs
  std::string label;   ///< display name
  std::string choice;  ///< configuration chosen by the run; empty if the command makes no choice
  std::string artifact;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::vector<double> timesNs;  ///< one per round of the last stage reached
};

/// Returns the items of a run in the order of its trials. `bench` and `profile` have one item per
/// candidate. Commands that choose have two per problem: the default and the choice. `tune` has
/// them for each dispatch and the whole program; `kernel` also has PyTorch.
[[nodiscard]] std::vector<Measured> collectMeasured(const store::Run& run,
                                                    std::span<const store::Trial> trials,
                                                    const TrialTimes& times);

}  // namespace hone::report
