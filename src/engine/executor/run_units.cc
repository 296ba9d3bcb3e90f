#include "engine/executor/run_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/executor/unit_result.h"

namespace hone::engine {
namespace {

/// Submitted units without a result.
struct InFlight {
  std::vector<Ticket> tickets;
  std::vector<std::size_t> indices;

  void add(Ticket ticket, std::size_t index) {
    tickets.push_back(std::move(ticket));
    indices.push_back(index);
  }
  void erase(std::size_t at) {
    tickets.erase(tickets.begin() + static_cast<std::ptrdiff_t>(at));
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at));
  }
};

/// Withdraws the units that have not started and adds their indices to `skipped`.
void withdrawAll(Executor& executor, InFlight& inFlight, std::vector<std::size_t>& skipped) {
  for (std::size_t i = 0; i < inFlight.tickets.size();) {
    if (executor.withdraw(inFlight.tickets[i])) {
      skipped.push_back(inFlight.indices[i]);
      inFlight.erase(i);
    } else {
      ++i;
    }
  }
}

/// Records the trials of a unit that another process performed, and a failed trial if it failed.
Result<void> recordUnit(const UnitRun& run, const UnitResult& result, const std::string& label) {
  std::vector<store::TrialRecord> records = result.records;
  if (result.error) {
    store::Trial& trial = records.emplace_back().trial;
    trial.key = fmt::format("{} as a whole", label);
    trial.problem = label;
    trial.config.name = "as a whole";
    trial.outcome = model::Outcome::runFailed;
    trial.message = result.error->message;
  }
  if (!records.empty()) {
    HONE_CHECK(run.store.merge(run.run, records));
  }
  return {};
}

}  // namespace

Result<std::vector<std::size_t>> runUnits(const UnitRun& run, const UnitBatch& batch) {
  Executor& executor = run.executor;
  InFlight inFlight;
  std::vector<std::size_t> skipped;
  const std::size_t window = std::min(batch.window, executor.window());
  std::size_t next = 0;
  while (true) {
    if (batch.outOfBudget && batch.outOfBudget()) {
      withdrawAll(executor, inFlight, skipped);
      for (; next < batch.count; ++next) {
        skipped.push_back(next);
      }
    }
    for (; next < batch.count && inFlight.tickets.size() < window; ++next) {
      inFlight.add(HONE_TRY(executor.submit(HONE_TRY(batch.make(next)))), next);
    }
    if (inFlight.tickets.empty()) {
      return skipped;
    }
    const std::size_t at = HONE_TRY(executor.wait(inFlight.tickets));
    const UnitResult result = HONE_TRY(executor.result(inFlight.tickets[at]));
    const std::size_t index = inFlight.indices[at];
    inFlight.erase(at);
    const std::string label = batch.label(index);
    HONE_CHECK(recordUnit(run, result, label));
    HONE_CHECK(batch.take(index, result));
    const std::string status = executor.status();
    run.progress.step(status.empty() ? label : status);
  }
}

}  // namespace hone::engine
