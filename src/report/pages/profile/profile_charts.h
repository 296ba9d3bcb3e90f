#pragma once

#include <vector>

#include "model/result/summary/profile_result.h"
#include "report/data/document.h"

namespace hone::report {

/// Adds bars of GFLOP/s by dispatch and provider.
void addSpeeds(const std::vector<model::ProfileRow>& rows, Document& document);
/// Adds a plot of the dispatches by arithmetic intensity under the roofline of the machine.
void addRoofline(const std::vector<model::MeasuredRoofline>& rooflines,
                 const std::vector<model::ProfileRow>& rows, Document& document);

}  // namespace hone::report
