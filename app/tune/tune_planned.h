#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "model/result/config.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/whole_program.h"

namespace hone::app {

/// Candidates that are there before anything is searched, by the name of the dispatch.
using Planned = std::map<std::string, std::vector<model::Config>>;

/// What a spec that is there already says for the dispatches of a program; entries that say nothing
/// for it are told.
[[nodiscard]] Result<Planned> plannedBy(Toolchain& toolchain, const tune::WholeProgram& whole,
                                        const std::string& specFile, Progress& progress);
/// What another machine compiled.
[[nodiscard]] Planned plannedBy(const tune::CandidateFolder& candidates);

}  // namespace hone::app
