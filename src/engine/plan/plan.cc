#include "engine/plan/plan.h"

#include <algorithm>

namespace hone::engine {

iree::CompileRequest::Route routeFor(const Plan& plan) {
  using Route = iree::CompileRequest::Route;
  const bool anyAttributes =
      plan.proposer != nullptr || std::ranges::any_of(plan.candidates, [](const Candidate& one) {
        return !one.config.attributes.empty();
      });
  return anyAttributes ? Route::batched : Route::whole;
}

iree::CompileRequest requestFor(const Plan& plan, const Candidate& candidate,
                                iree::CompileRequest::Route route) {
  const model::Config& config = candidate.config;
  const Program& program = plan.programs[candidate.program];
  iree::CompileRequest request{program.source,    program.hash, plan.flags,
                               config.attributes, route,        program.function};
  request.from = program.from;
  request.label = program.fileName();
  request.flags.insert(request.flags.end(), config.flags.begin(), config.flags.end());
  return request;
}

}  // namespace hone::engine
