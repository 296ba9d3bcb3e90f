#include "engine/plan/experiment.h"

#include "base/file.h"
#include "engine/plan/session.h"

namespace hone::engine {

Result<std::vector<Finding>> Experiment::run(const Plan& plan) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-trial"));
  Session session(context_, plan, scratch.path());
  HONE_CHECK(session.restore());
  HONE_CHECK(plan.proposer == nullptr ? session.proveAll() : session.search());
  context_.progress.finish();
  referenceCpuNs_ += session.referenceCpuNs();
  alternative_ = session.alternative();
  return session.findings();
}

}  // namespace hone::engine
