#pragma once

#include <string>
#include <vector>

#include "model/result/summary/kernel_turn.h"
#include "report/data/run_record.h"

namespace hone::report {

/// Adds the turns of one kernel: candidates, confirmation, analysis, diff of the winner, and the
/// conversation with the model. `kernel` is its name within the run; empty if it is the only one.
void addTurns(const RunRecord& record, const std::string& kernel,
              const std::vector<model::KernelTurn>& turns, Parts& parts);

}  // namespace hone::report
