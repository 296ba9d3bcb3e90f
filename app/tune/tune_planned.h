#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "model/result/config.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/whole_program.h"

namespace hone::app {

/// Candidates known before the search, by dispatch.
using Planned = std::map<std::string, std::vector<model::Config>>;

/// Returns the candidates that a spec has for the dispatches of a program. Reports entries that
/// match nothing.
[[nodiscard]] Result<Planned> plannedBy(Toolchain& toolchain, const tune::WholeProgram& whole,
                                        const std::string& specFile, Progress& progress);
/// Returns the candidates that another machine compiled.
[[nodiscard]] Planned plannedBy(const tune::CandidateFolder& candidates);

}  // namespace hone::app
