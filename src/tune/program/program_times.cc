#include "tune/program/program_times.h"

#include "engine/machine_lock.h"
#include "engine/sampler.h"

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
                                                     const iree::ModuleRunner& runner,
                                                     const WholeProgram& whole,
                                                     const iree::CompileRequest& request,
                                                     engine::Elsewhere* elsewhere) {
  if (elsewhere != nullptr) {
    engine::Plan plan = planFor(whole, "costs");
    plan.flags = request.flags;
    return orNone(elsewhere->dispatchTimes(plan, kCalls));
  }
  iree::Compiled compiled;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    compiled = HONE_TRY(compiler.compileAll({&request, 1}, {})).front();
  }
  if (compiled.module.empty()) {
    return userError("{} does not compile: {}", whole.program.source.filename().string(),
                     compiled.report.message);
  }
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const iree::Call call{compiled.module, whole.program.function, whole.inputs.arguments};
  auto times = orNone(
      iree::dispatchTimes(runner.installation(), runner.device(), runner.limits(), call, kCalls));
  if (!times && times.error().fault == Fault::user) {
    HONE_CHECK(engine::expectDevice(runner));
  }
  return times;
}

}  // namespace hone::tune
