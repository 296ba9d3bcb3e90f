#include "engine/plan/plan.h"

namespace hone::engine {

iree::CompileRequest requestFor(const Plan& plan, const Candidate& candidate,
                                iree::CompileRequest::Route route) {
  const model::Config& config = candidate.config;
  const Program& program = plan.programs[candidate.program];
  iree::CompileRequest request{program.source,    program.hash, plan.flags,
                               config.attributes, route,        program.function};
  request.from = program.from;
  request.flags.insert(request.flags.end(), config.flags.begin(), config.flags.end());
  return request;
}

}  // namespace hone::engine
