#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iree/compile/evidence/code_evidence.h"
#include "tune/candidates/candidate_folder.h"

namespace hone::tune {

/// Returns the resources of a dispatch's kernel in the evidence; nothing if it is not clear which
/// kernel it is. `dispatch` is the executable's name.
[[nodiscard]] std::optional<CodeResources> resourcesFor(const iree::CodeEvidence& evidence,
                                                        std::string_view dispatch,
                                                        std::string_view target);

/// Returns the expected cost of a candidate: `guess` of the machine model, increased if the code
/// spills registers or leaves the GPU with too few subgroups to hide latencies. The unit is
/// arbitrary: nothing is measured.
[[nodiscard]] double expectedCost(double guess, const std::optional<CodeResources>& code);

/// Sorts the candidates worth measuring by expected cost, and moves the others to the end.
void orderCandidates(std::vector<CompiledCandidate>& candidates);

/// Describes the evidence for the order, for output.
[[nodiscard]] std::string describeOrder(iree::EvidenceSource source);

}  // namespace hone::tune
