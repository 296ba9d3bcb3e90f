#include "engine/plan/ordered_plan_unit.h"

#include <algorithm>
#include <numeric>

#include "base/file.h"
#include "engine/machine_lock.h"
#include "engine/plan/final_stage.h"
#include "engine/plan/plan_json.h"
#include "engine/plan/screening_stage.h"

namespace hone::engine {

using nlohmann::json;

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
