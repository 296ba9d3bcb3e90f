#include "split/sweep/validation/validator.h"

#include <fmt/format.h>

#include "engine/executor/run_units.h"
#include "engine/executor/unit_pace.h"
#include "engine/executor/unit_result.h"

namespace hone::split {

Result<std::vector<ValidationRecord>> validate(const engine::UnitRun& run,
                                               const ValidationTools& tools,
                                               std::span<const ValidationOrder> orders,
                                               const engine::BudgetClock& clock) {
  run.progress.stage("validate", {.total = static_cast<std::int64_t>(orders.size()),
                                  .atMost = clock.leftUntil(1.0)});
  engine::UnitPace pace(clock, 1, run.executor.places());
  ValidationTools timed = tools;
  timed.outOfTime = [&] { return clock.spent(1); };
  std::vector<ValidationRecord> records(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    records[i].arguments = orders[i].problem.arguments;
  }
  engine::UnitBatch batch;
  batch.count = orders.size();
  batch.window = pace.window();
  batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
    return std::make_unique<ValidationUnit>(timed, orders[i]);
  };
  batch.label = [&](std::size_t i) {
    return fmt::format("validate {}", nameOf(orders[i].problem.problem));
  };
  batch.take = [&](std::size_t i, const engine::UnitResult& result) -> Result<void> {
    pace.finishUnit();
    if (result.error) {
      records[i].failures.push_back(
          fmt::format("{}: {}", records[i].arguments, result.error->message));
    } else {
      records[i] = HONE_TRY(validationFrom(result.value));
    }
    return {};
  };
  batch.outOfBudget = [&] { return pace.isOver(); };
  for (const std::size_t i : HONE_TRY(engine::runUnits(run, batch))) {
    records[i].failures.push_back(
        fmt::format("{}: not validated: budget exhausted", records[i].arguments));
  }
  run.progress.finish();
  return records;
}

}  // namespace hone::split
