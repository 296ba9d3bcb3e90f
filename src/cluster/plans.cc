#include "cluster/plans.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "cluster/plan_json.h"
#include "cluster/records.h"
#include "engine/machine_lock.h"
#include "engine/session.h"

namespace hone::cluster {
namespace {

using nlohmann::json;
using Route = iree::CompileRequest::Route;

/// Leaves the artifacts of all candidates in the cache.
Result<json> compilePlan(const engine::Plan& plan, iree::Compiler& compiler) {
  const bool attributes = std::any_of(
      plan.candidates.begin(), plan.candidates.end(),
      [](const engine::Candidate& candidate) { return !candidate.config.attributes.empty(); });
  std::vector<iree::CompileRequest> requests;
  for (const engine::Candidate& candidate : plan.candidates) {
    requests.push_back(
        engine::requestFor(plan, candidate, attributes ? Route::batched : Route::whole));
  }
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  HONE_CHECK(compiler.compileAll(requests, {}));
  return json::object();
}

/// The findings with their records, and the twin's.
engine::PlanAnswer answerOf(std::vector<engine::Finding> findings,
                            std::vector<store::TrialRecord> records) {
  engine::PlanAnswer answer;
  for (engine::Finding& finding : findings) {
    const auto record =
        std::find_if(records.begin(), records.end(),
                     [&](const store::TrialRecord& one) { return one.trial.key == finding.key; });
    answer.tried.push_back({*record, std::move(finding)});
  }
  for (store::TrialRecord& record : records) {
    if (record.trial.details.twin) {
      answer.twin = std::move(record);
    }
  }
  return answer;
}

}  // namespace

std::string unitKey(std::string_view kind, const json& order) {
  return Hasher().field(kind).field(store::jsonText(order)).hex().substr(0, 32);
}

Result<std::string> Plans::begin(const engine::Plan& plan, engine::Extent extent) {
  json order = {{"plan", HONE_TRY(toJson(plan, files_))},
                {"prove", extent == engine::Extent::proven}};
  Unit unit;
  unit.kind = kPlanUnit;
  unit.key = unitKey(unit.kind, order);
  // Not part of the key: a head that is started again has less time, and wants the same.
  order["milliseconds"] = plan.budget.time ? plan.budget.time->count() : 0;
  unit.order = std::move(order);
  std::string key = unit.key;
  HONE_CHECK(head_.handOut(std::move(unit)));
  return key;
}

Result<engine::PlanAnswer> Plans::end(const std::string& ticket) {
  const Answer answer = HONE_TRY(head_.await(ticket));
  if (answer.killed) {
    engine::PlanAnswer killed;
    killed.killed = answer.error->message;
    return killed;
  }
  if (answer.error) {
    return std::unexpected(*answer.error);
  }
  auto plan = HONE_TRY(planAnswerFrom(answer.result));
  const std::int64_t node = HONE_TRY(store_.addNode(answer.node));
  for (engine::TriedThere& one : plan.tried) {
    one.record.node = node;
  }
  if (plan.twin) {
    plan.twin->node = node;
  }
  return plan;
}

Result<std::size_t> Plans::any(std::span<const std::string> tickets) {
  const std::string key = HONE_TRY(head_.awaitAny(tickets));
  return static_cast<std::size_t>(std::find(tickets.begin(), tickets.end(), key) - tickets.begin());
}

Result<std::vector<iree::DispatchTime>> Plans::dispatchTimes(const engine::Plan& plan,
                                                             std::int64_t calls) {
  Unit unit;
  unit.kind = kDispatchesUnit;
  unit.order = {{"plan", HONE_TRY(toJson(plan, files_))}, {"calls", calls}};
  unit.key = unitKey(unit.kind, unit.order);
  const std::string key = unit.key;
  HONE_CHECK(head_.handOut(std::move(unit)));
  const Answer answer = HONE_TRY(head_.await(key));
  if (answer.error) {
    return std::unexpected(*answer.error);
  }
  std::vector<iree::DispatchTime> times;
  for (const json& one : answer.result.at("dispatches")) {
    times.push_back({one.at("name"), one.at("calls"), one.at("total_ns"), one.at("busy_ns"),
                     one.at("invocation_ns")});
  }
  return times;
}

Result<json> performPlan(const Unit& unit, iree::Compiler& compiler,
                         const iree::ModuleRunner& executor, Progress& progress) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  engine::Plan plan = HONE_TRY(planFrom(unit.order.at("plan"), folder.path()));
  if (unit.onlyCompile) {
    return compilePlan(plan, compiler);
  }
  if (const auto left = unit.order.value("milliseconds", std::int64_t{0}); left > 0) {
    plan.budget.time = std::chrono::milliseconds(left);
  }
  ScratchStore scratch = HONE_TRY(ScratchStore::create());
  engine::Session session({compiler, executor, scratch.store(), progress, scratch.run()}, plan,
                          folder.path());
  HONE_CHECK(session.tryPlanned());
  if (unit.order.at("prove").get<bool>()) {
    HONE_CHECK(session.finish());
  }
  return toJson(answerOf(HONE_TRY(session.findings()), HONE_TRY(scratch.records())));
}

Result<json> performDispatches(const Unit& unit, iree::Compiler& compiler,
                               const iree::ModuleRunner& executor) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  const engine::Plan plan = HONE_TRY(planFrom(unit.order.at("plan"), folder.path()));
  const auto request = engine::requestFor(plan, plan.candidates.front(), Route::whole);
  iree::Compiled compiled;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    compiled = HONE_TRY(compiler.compileAll(std::span(&request, 1), {})).front();
  }
  if (compiled.module.empty()) {
    return userError("{} does not compile: {}", request.source.filename().string(),
                     compiled.report.message);
  }
  json dispatches = json::array();
  if (!unit.onlyCompile) {
    const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
    const iree::Call call{compiled.module, plan.programs.front().function, plan.inputs.arguments};
    for (const iree::DispatchTime& time :
         HONE_TRY(iree::dispatchTimes(executor.installation(), executor.device(), executor.limits(),
                                      call, unit.order.at("calls")))) {
      dispatches.push_back({{"name", time.name},
                            {"calls", time.calls},
                            {"total_ns", time.totalNs},
                            {"busy_ns", time.busyNs},
                            {"invocation_ns", time.invocationNs}});
    }
  }
  return json{{"dispatches", std::move(dispatches)}};
}

}  // namespace hone::cluster
