#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/engine.h"
#include "model/config.h"
#include "tune/candidate_folder.h"
#include "tune/whole_program.h"

namespace hone::app {

/// Candidates that are there before anything is searched, by the name of the dispatch.
using Planned = std::map<std::string, std::vector<model::Config>>;

/// What a spec that is there already says for the dispatches of a program; entries that say nothing
/// for it are told.
[[nodiscard]] Result<Planned> plannedBy(Engine& engine, const tune::WholeProgram& whole,
                                        const std::string& specFile, Progress& progress);
/// What another machine compiled.
[[nodiscard]] Planned plannedBy(const tune::CandidateFolder& candidates);

}  // namespace hone::app
