#include "engine/plan/ordered_plan_unit.h"

#include <numeric>
#include <utility>

#include "base/file.h"
#include "engine/builder.h"
#include "engine/plan/final_stage.h"
#include "engine/plan/plan_json.h"
#include "engine/plan/screening_stage.h"

namespace hone::engine {

using nlohmann::json;

Result<void> OrderedPlanUnit::prepare(std::span<Unit* const> /*batch*/) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  const Plan plan = HONE_TRY(planFrom(order_.at("plan"), folder.path()));
  std::vector<iree::CompileRequest> requests;
  for (const Candidate& candidate : plan.candidates) {
    requests.push_back(requestFor(plan, candidate, routeFor(plan)));
  }
  HONE_CHECK(Builder(compiler_).build(std::move(requests)));
  return {};
}

Result<json> OrderedPlanUnit::perform(UnitContext& context) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-plan"));
  Plan plan = HONE_TRY(planFrom(order_.at("plan"), folder.path()));
  if (const auto left = order_.value("milliseconds", std::int64_t{0}); left > 0) {
    plan.budget.time = std::chrono::milliseconds(left);
  }
  SessionState state({compiler_, runner_, context.log, context.progress}, plan, folder.path());
  std::vector<std::size_t> all(state.entries.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  HONE_CHECK(screenCandidates(state, all));
  if (order_.at("prove").get<bool>()) {
    HONE_CHECK(raceAndProve(state));
  }
  context.referenceCpuNs += state.referenceCpuNs();
  return toJson(state.findings());
}

}  // namespace hone::engine
