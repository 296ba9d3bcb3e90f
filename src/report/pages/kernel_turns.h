#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/data/run_record.h"

namespace hone::report {

/// One kernel turn by turn: its candidates, the confirmation, the analysis, the winner's diff and
/// the conversation. `kernel` tells it from others of the run; "" where there is but one.
void addTurns(const RunRecord& record, const std::string& kernel, const nlohmann::json& turns,
              Parts& parts);

}  // namespace hone::report
