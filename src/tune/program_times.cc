#include "tune/program_times.h"

#include "trial/lane.h"
#include "trial/sampler.h"

namespace hone::tune {
namespace {

/// Calls that are profiled to see what each dispatch costs.
constexpr std::int64_t kCalls = 5;

Result<std::vector<iree::DispatchTime>> orNone(Result<std::vector<iree::DispatchTime>> times) {
  return !times && iree::cannotBeTimed(times.error()) ? std::vector<iree::DispatchTime>()
                                                      : std::move(times);
}

}  // namespace

Result<std::vector<iree::DispatchTime>> programTimes(iree::Compiler& compiler,
                                                     const iree::Executor& executor,
                                                     const WholeProgram& whole,
                                                     const iree::CompileRequest& request,
                                                     trial::Elsewhere* elsewhere) {
  if (elsewhere != nullptr) {
    trial::Plan plan = planFor(whole, "costs");
    plan.flags = request.flags;
    return orNone(elsewhere->dispatchTimes(plan, kCalls));
  }
  iree::Compiled compiled;
  {
    const FileLock lane = HONE_TRY(trial::enterToCompile());
    compiled = HONE_TRY(compiler.compileAll({&request, 1}, {})).front();
  }
  if (compiled.module.empty()) {
    return userError("{} does not compile: {}", whole.program.source.filename().string(),
                     compiled.report.message);
  }
  const FileLock lane = HONE_TRY(trial::enterToMeasure());
  const iree::Call call{compiled.module, whole.program.function, whole.inputs.arguments};
  auto times = orNone(iree::dispatchTimes(executor.installation(), executor.device(),
                                          executor.limits(), call, kCalls));
  if (!times && times.error().fault == Fault::user) {
    HONE_CHECK(trial::expectDevice(executor));
  }
  return times;
}

}  // namespace hone::tune
