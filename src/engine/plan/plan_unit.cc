#include "engine/plan/plan_unit.h"

#include <algorithm>
#include <numeric>

#include "base/file.h"
#include "engine/machine_lock.h"
#include "engine/plan/final_stage.h"
#include "engine/plan/plan_json.h"
#include "engine/plan/screening_stage.h"

namespace hone::engine {

using nlohmann::json;

Result<json> PlanUnit::order(FileShare& files) const {
  const Plan& plan = state_.plan;
  Plan part;  // without the values of the inputs: they are made anew there
  part.scope = plan.scope;
  part.programs = plan.programs;
  part.inputSpecs = plan.inputSpecs;
  part.otherInputs = plan.otherInputs ? std::optional(Inputs{}) : std::nullopt;
  part.flags = plan.flags;
  part.seed = plan.seed;
  part.selects = plan.selects && extent_ == Extent::proven;
  part.onlyGains = plan.onlyGains;
  part.finalists = plan.finalists;
  part.rounds = plan.rounds;
  part.memory = plan.memory;
  part.compare = plan.compare;
  for (const std::size_t index : which_) {
    part.candidates.push_back(state_.entries[index].candidate);
  }
  return json{{"plan", HONE_TRY(toJson(part, files))}, {"prove", extent_ == Extent::proven}};
}

std::optional<std::chrono::milliseconds> PlanUnit::timeLeft() const {
  return state_.clock.left().time;
}

Result<json> PlanUnit::perform(UnitSite& /*site*/) {
  HONE_CHECK(screenCandidates(state_, which_));
  if (extent_ == Extent::proven) {
    HONE_CHECK(raceAndProve(state_));
  }
  return json();
}

Result<void> OrderedPlanUnit::prepare(std::span<Unit* const> /*batch*/) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  const Plan plan = HONE_TRY(planFrom(order_.at("plan"), folder.path()));
  const bool attributes = std::ranges::any_of(plan.candidates, [](const Candidate& candidate) {
    return !candidate.config.attributes.empty();
  });
  std::vector<iree::CompileRequest> requests;
  for (const Candidate& candidate : plan.candidates) {
    requests.push_back(requestFor(
        plan, candidate,
        attributes ? iree::CompileRequest::Route::batched : iree::CompileRequest::Route::whole));
  }
  const auto lock = HONE_TRY(MachineLock::forCompiling());
  HONE_CHECK(compiler_.compileAll(requests, {}));
  return {};
}

Result<json> OrderedPlanUnit::perform(UnitSite& site) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  Plan plan = HONE_TRY(planFrom(order_.at("plan"), folder.path()));
  if (const auto left = order_.value("milliseconds", std::int64_t{0}); left > 0) {
    plan.budget.time = std::chrono::milliseconds(left);
  }
  SessionState state({compiler_, runner_, site.log, site.progress}, plan, folder.path());
  std::vector<std::size_t> all(state.entries.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  HONE_CHECK(screenCandidates(state, all));
  if (order_.at("prove").get<bool>()) {
    HONE_CHECK(raceAndProve(state));
  }
  site.referenceCpuNs += state.referenceCpuNs();
  return toJson(state.findings());
}

}  // namespace hone::engine
