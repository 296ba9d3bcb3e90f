#include "app/tune/tune_planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/compile/resolve_roots.h"
#include "iree/spec/spec_check.h"

namespace hone::app {

Result<Planned> plannedBy(Toolchain& toolchain, const tune::WholeProgram& whole,
                          const std::string& specFile, Progress& progress) {
  const iree::Spec spec = HONE_TRY(iree::readSpec(toolchain.compiler, specFile));
  const iree::CompileRequest request = tune::requestFor(whole, whole.flags);
  const auto check = HONE_TRY(iree::checkSpec(toolchain.compiler, request, spec));
  if (!check.refused.empty()) {
    progress.say(fmt::format("{}: compile error with {}: {}", whole.program.label(), specFile,
                             check.refused));
  }
  for (const iree::EntryUse& entry : check.entries) {
    if (check.refused.empty() && entry.uses.empty()) {
      progress.say(fmt::format("@{} in {} matches nothing in {}", entry.entry, specFile,
                               whole.program.label()));
    }
  }
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-starter"));
  const auto dispatches =
      HONE_TRY(iree::dispatchPrograms(toolchain.compiler, request, folder.path()));
  Planned planned;
  for (std::size_t i = 0; i < check.entries.size(); ++i) {
    for (const iree::SpecUse& use : check.entries[i].uses) {
      const auto owner =
          std::find_if(dispatches.begin(), dispatches.end(), [&](const iree::DispatchProgram& one) {
            return std::find(one.dispatches.begin(), one.dispatches.end(), use.dispatch) !=
                   one.dispatches.end();
          });
      if (owner != dispatches.end() && use.onRoot) {
        planned[owner->name] = {{fmt::format("{} of {}", spec.entries[i].name, specFile),
                                 {},
                                 {{iree::literalPattern(owner->root.dispatch), "",
                                   "compilation_info", spec.entries[i].config}}}};
      }
    }
  }
  return planned;
}

Planned plannedBy(const tune::CandidateFolder& candidates) {
  Planned planned;
  for (const tune::DispatchCandidates& dispatch : candidates.dispatches) {
    for (const tune::CompiledCandidate& candidate : dispatch.candidates) {
      if (candidate.worthMeasuring()) {
        planned[dispatch.dispatch].push_back(candidate.config);
      }
    }
  }
  return planned;
}

}  // namespace hone::app
