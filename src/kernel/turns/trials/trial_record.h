#pragma once

#include <string>
#include <vector>

#include "kernel/propose/proposer.h"
#include "store/records.h"

namespace hone::kernel {

// Conversions between proposals, judged proposals and their records in the store.

[[nodiscard]] model::KernelProposal toRecord(const Proposal& proposal);
[[nodiscard]] Proposal proposalFrom(const model::KernelProposal& record);

[[nodiscard]] store::Trial toTrial(const JudgedProposal& tried, std::string key);
/// Restores a judged proposal from its trial and its screening samples.
[[nodiscard]] JudgedProposal judgedProposalFrom(const store::Trial& trial,
                                                std::vector<model::Sample> samples);

}  // namespace hone::kernel
