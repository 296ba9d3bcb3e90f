#include "tune/program/program_times.h"

#include <utility>

#include "engine/executor/unit_result.h"

namespace hone::tune {
namespace {

/// Profiled calls for measuring the dispatches.
constexpr std::int64_t kCalls = 5;

Result<std::vector<engine::DispatchTimes>> measure(const TimesTools& tools, engine::Plan plan) {
  if (tools.executor == nullptr) {
    return engine::measureDispatchTimes(plan, kCalls, tools.compiler, tools.runner);
  }
  const engine::Ticket ticket =
      HONE_TRY(tools.executor->submit(std::make_unique<engine::DispatchTimesUnit>(
          std::move(plan), kCalls, tools.compiler, tools.runner)));
  const engine::UnitResult result = HONE_TRY(tools.executor->result(ticket));
  if (result.error) {
    return std::unexpected(*result.error);
  }
  return engine::dispatchTimesFrom(result.value);
}

}  // namespace

Result<std::vector<engine::DispatchTimes>> programTimes(const TimesTools& tools,
                                                        const WholeProgram& whole,
                                                        const std::vector<std::string>& flags,
                                                        std::span<const model::Config> configs) {
  engine::Plan plan = planFor(whole, "costs");
  plan.flags = flags;
  plan.candidates.clear();
  for (const model::Config& config : configs) {
    plan.candidates.push_back({0, config});
  }
  auto times = measure(tools, std::move(plan));
  if (!times && iree::cannotBeTimed(times.error())) {
    return std::vector<engine::DispatchTimes>();
  }
  return times;
}

}  // namespace hone::tune
