#include "engine/plan/plan_unit.h"

#include <nlohmann/json.hpp>

#include "engine/plan/candidate_timer.h"
#include "engine/plan/final_stage.h"
#include "engine/plan/plan_json.h"
#include "engine/plan/screening_stage.h"

namespace hone::engine {

using nlohmann::json;

Result<json> PlanUnit::order(FileShare& files) const {
  const Plan& plan = state_.plan;
  Plan part;  // without input values: the other process generates them
  part.scope = plan.scope;
  part.programs = plan.programs;
  part.inputSpecs = plan.inputSpecs;
  part.otherInputs = plan.otherInputs ? std::optional(Inputs{}) : std::nullopt;
  part.flags = plan.flags;
  part.seed = plan.seed;
  part.selects = plan.selects && lastStage_ == LastStage::proven;
  part.onlyGains = plan.onlyGains;
  part.finalists = plan.finalists;
  part.screeningShare = plan.screeningShare;
  part.rounds = plan.rounds;
  part.memory = plan.memory;
  part.compare = plan.compare;
  for (const std::size_t index : which_) {
    part.candidates.push_back(state_.entries[index].candidate);
  }
  return json{{"plan", HONE_TRY(toJson(part, files))}, {"prove", lastStage_ == LastStage::proven}};
}

std::optional<std::chrono::milliseconds> PlanUnit::timeLeft() const {
  return state_.clock.left().time;
}

Result<json> PlanUnit::perform(UnitContext& /*context*/) {
  const CandidateTimer timer;
  HONE_CHECK(screenCandidates(state_, which_));
  if (lastStage_ == LastStage::proven) {
    HONE_CHECK(raceAndProve(state_));
  }
  return json();
}

}  // namespace hone::engine
