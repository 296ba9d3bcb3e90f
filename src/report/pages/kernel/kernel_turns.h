#pragma once

#include <string>
#include <vector>

#include "model/result/summary/kernel_turn.h"
#include "report/data/run_record.h"

namespace hone::report {

/// One kernel turn by turn: its candidates, the confirmation, the analysis, the winner's diff and
/// the conversation. `kernel` tells it from others of the run; "" where there is but one.
void addTurns(const RunRecord& record, const std::string& kernel,
              const std::vector<model::KernelTurn>& turns, Parts& parts);

}  // namespace hone::report
