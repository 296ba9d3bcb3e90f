#include "engine/plan/dispatch_times_unit.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/builder.h"
#include "engine/machine_lock.h"
#include "engine/plan/plan_json.h"
#include "engine/rounds/sampler.h"

namespace hone::engine {
namespace {

using nlohmann::json;
using Route = iree::CompileRequest::Route;

Result<std::vector<iree::Compiled>> compileCandidates(const Plan& plan, iree::Compiler& compiler) {
  std::vector<iree::CompileRequest> requests;
  for (const Candidate& candidate : plan.candidates) {
    requests.push_back(requestFor(
        plan, candidate, candidate.config.attributes.empty() ? Route::whole : Route::shared));
  }
  return Builder(compiler).build(std::move(requests));
}

json toJson(const iree::DispatchTime& time) {
  return {{"name", time.name},
          {"calls", time.calls},
          {"total_ns", time.totalNs},
          {"busy_ns", time.busyNs},
          {"invocation_ns", time.invocationNs}};
}

/// Measures the dispatches of compiled candidates.
Result<std::vector<DispatchTimes>> measureCompiled(const Plan& plan,
                                                   const std::vector<iree::Compiled>& compiled,
                                                   std::int64_t calls,
                                                   const iree::ModuleRunner& runner) {
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  std::vector<DispatchTimes> all;
  for (const iree::Compiled& one : compiled) {
    if (one.module.empty()) {
      return userError("{} does not compile: {}", plan.programs.front().fileName(),
                       plan.programs.front().describeFailure(one.report.message));
    }
    const iree::Call call{one.module, plan.programs.front().function, plan.inputs.arguments,
                          plan.programs.front().parameters};
    auto times =
        iree::dispatchTimes(runner.installation(), runner.device(), runner.limits(), call, calls);
    if (!times && times.error().fault == Fault::user && !iree::cannotBeTimed(times.error())) {
      HONE_CHECK(expectDevice(runner));
    }
    all.push_back(HONE_TRY(std::move(times)));
  }
  return all;
}

}  // namespace

Result<std::vector<DispatchTimes>> measureDispatchTimes(const Plan& plan, std::int64_t calls,
                                                        iree::Compiler& compiler,
                                                        const iree::ModuleRunner& runner) {
  return measureCompiled(plan, HONE_TRY(compileCandidates(plan, compiler)), calls, runner);
}

Result<std::unique_ptr<Unit>> DispatchTimesUnit::fromOrder(const json& order,
                                                           iree::Compiler& compiler,
                                                           const iree::ModuleRunner& runner) {
  ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  Plan plan = HONE_TRY(planFrom(order.at("plan"), folder.path()));
  auto unit = std::make_unique<DispatchTimesUnit>(
      std::move(plan), order.at("calls").get<std::int64_t>(), compiler, runner);
  unit->folder_ = std::move(folder);
  return unit;
}

Result<json> DispatchTimesUnit::order(FileShare& files) const {
  return json{{"plan", HONE_TRY(engine::toJson(plan_, files))}, {"calls", calls_}};
}

Result<void> DispatchTimesUnit::prepare(std::span<Unit* const> /*batch*/) {
  compiled_ = HONE_TRY(compileCandidates(plan_, compiler_));
  return {};
}

Result<json> DispatchTimesUnit::perform(UnitContext& /*context*/) {
  if (!compiled_) {
    compiled_ = HONE_TRY(compileCandidates(plan_, compiler_));
  }
  json value = json::array();
  for (const DispatchTimes& times : HONE_TRY(measureCompiled(plan_, *compiled_, calls_, runner_))) {
    json one = json::array();
    for (const iree::DispatchTime& time : times) {
      one.push_back(toJson(time));
    }
    value.push_back(std::move(one));
  }
  return value;
}

Result<std::vector<DispatchTimes>> dispatchTimesFrom(const json& value) {
  try {
    std::vector<DispatchTimes> all;
    for (const json& candidate : value) {
      DispatchTimes& times = all.emplace_back();
      for (const json& one : candidate) {
        times.push_back({one.at("name"), one.at("calls"), one.at("total_ns"), one.at("busy_ns"),
                         one.at("invocation_ns")});
      }
    }
    return all;
  } catch (const json::exception& exception) {
    return machineError("invalid dispatch times: {}", exception.what());
  }
}

}  // namespace hone::engine
