#pragma once

#include <vector>

#include "model/result/summary/profile_result.h"
#include "report/data/document.h"

namespace hone::report {

/// GFLOP/s by dispatch and provider.
void addSpeeds(const std::vector<model::ProfileRow>& rows, Document& document);
/// Every dispatch over its arithmetic intensity, below what the machine allows.
void addRoofline(const std::vector<model::MeasuredRoofline>& rooflines,
                 const std::vector<model::ProfileRow>& rows, Document& document);

}  // namespace hone::report
