#include "split/sweep/sweeper.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "engine/executor/run_units.h"
#include "engine/executor/unit_pace.h"
#include "engine/executor/unit_result.h"
#include "model/result/summary/split_result.h"

namespace hone::split {
namespace {

/// Returns the speedup of the best limit over the compiler's default.
double bestGain(const ShapeResult& shape) {
  double gain = 0;
  for (const auto& [limit, timing] : shape.limits) {
    if (shape.baseline && timing.timeUs() > 0) {
      gain = std::max(gain, shape.baseline->timeUs() / timing.timeUs());
    }
  }
  return gain;
}

}  // namespace

std::string Sweeper::recordKey(const SweepProblem& problem) const {
  const SweepSettings& settings = options_.settings;
  Hasher hasher;
  hasher.field("split race 2").field(settings.compiler).field(options_.device);
  hasher.field(nameOf(problem.problem)).field(fmt::format("{}", settings.limits));
  for (const std::string& flag : settings.flags) {
    hasher.field(flag);
  }
  return hasher.hex();
}

Result<void> Sweeper::take(ShapeRecord& record, const SweepProblem& problem,
                           const engine::UnitResult& result) {
  if (result.error) {
    record.failures.push_back(fmt::format("{}: {}", problem.arguments, result.error->message));
    return {};
  }
  ShapeRecord measured = HONE_TRY(model::shapeRecordFrom(result.value));
  if (earlier_.contains(record.race)) {
    addRerun(record, measured);
    return {};
  }
  measured.race = record.race;
  record = std::move(measured);
  return {};
}

Result<std::vector<ShapeRecord>> Sweeper::sweep(std::span<const SweepProblem> problems) {
  std::vector<ShapeRecord> records(problems.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    records[i].race = recordKey(problems[i]);
    if (const auto found = earlier_.find(records[i].race); found != earlier_.end()) {
      records[i] = found->second;
      removeTimes(records[i].shape, options_.rerun);
    }
    if (!earlier_.contains(records[i].race) || !options_.rerun.empty()) {
      left.push_back(i);
    }
    records[i].shape.arguments = problems[i].arguments;
  }
  run_.progress.stage("sweep", {.total = static_cast<std::int64_t>(left.size()),
                                .atMost = options_.clock.leftUntil(options_.budgetShare)});
  engine::UnitPace pace(options_.clock, options_.budgetShare, run_.executor.places());
  std::int64_t trials = 0;
  double best = 1;
  engine::UnitBatch batch;
  batch.count = left.size();
  batch.window = pace.window();
  batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
    SweepSettings settings = options_.settings;
    if (earlier_.contains(records[left[i]].race)) {
      settings.rerun = options_.rerun;
    }
    return std::make_unique<SweepUnit>(tools_, std::move(settings), problems[left[i]]);
  };
  batch.label = [&](std::size_t i) { return nameOf(problems[left[i]].problem); };
  batch.take = [&](std::size_t i, const engine::UnitResult& result) -> Result<void> {
    ShapeRecord& record = records[left[i]];
    HONE_CHECK(take(record, problems[left[i]], result));
    pace.finishUnit();
    trials += record.compiled;
    if (const double gain = bestGain(record.shape); gain > best) {
      best = gain;
      run_.progress.best(fmt::format("{:.2f}x", best));
    }
    return {};
  };
  batch.outOfBudget = [&] {
    return pace.isOver() || (options_.trials && trials >= *options_.trials);
  };
  for (const std::size_t i : HONE_TRY(engine::runUnits(run_, batch))) {
    ShapeRecord& record = records[left[i]];
    record.failures.push_back(
        fmt::format("{}: not measured: budget exhausted", record.shape.arguments));
  }
  run_.progress.finish();
  return records;
}

}  // namespace hone::split
