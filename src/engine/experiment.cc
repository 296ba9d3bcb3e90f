#include "engine/experiment.h"

#include "engine/session.h"

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

const Finding* winnerOf(const std::vector<Finding>& findings) {
  const Finding* best = nullptr;
  for (const Finding& finding : findings) {
    const auto& comparison = finding.comparison;
    // One that failed in some of the final's rounds was quick only in the others.
    const bool sound =
        finding.outcome == model::Outcome::ok || finding.outcome == model::Outcome::tooSlow;
    if (sound && comparison && comparison->verdict == stats::Verdict::improved &&
        (best == nullptr || comparison->speedup.estimate > best->comparison->speedup.estimate)) {
      best = &finding;
    }
  }
  return best;
}

Result<std::vector<Finding>> Experiment::run(std::int64_t run, const Plan& plan) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-trial"));
  Session session({compiler_, runner_, store_, progress_, run, elsewhere_}, plan, scratch.path());
  HONE_CHECK(session.restore());
  if (elsewhere_ != nullptr && plan.proposer == nullptr) {
    HONE_CHECK(session.proveElsewhere());
  } else {
    HONE_CHECK(session.tryAll());
    HONE_CHECK(session.finish());
  }
  progress_.finish();
  referenceCpuNs_ += session.referenceCpuNs();
  return session.findings();
}

}  // namespace hone::engine
