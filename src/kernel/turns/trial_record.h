#pragma once

#include <string>
#include <vector>

#include "kernel/propose/proposer.h"
#include "store/records.h"

namespace hone::kernel {

// How proposals and what came of them are kept in the store.

[[nodiscard]] model::KernelProposal recordOf(const Proposal& proposal);
[[nodiscard]] Proposal proposalFrom(const model::KernelProposal& record);

[[nodiscard]] store::Trial trialOf(const Tried& tried, std::string key);
/// The samples are those of its screening.
[[nodiscard]] Tried triedFrom(const store::Trial& trial, std::vector<model::Sample> samples);

}  // namespace hone::kernel
