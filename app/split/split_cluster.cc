#include "app/split/split_cluster.h"

#include <map>

#include "base/file.h"
#include "cluster/plan_json.h"
#include "cluster/records.h"
#include "engine/machine_lock.h"

namespace hone::app {
namespace {

using nlohmann::json;
using split::ShapeRecord;
using split::SweepProblem;
using split::ValidatedChoice;
using split::ValidationOrder;
using split::ValidationRecord;

json problemJson(const SweepProblem& problem) {
  return {{"arguments", problem.arguments}, {"problem", model::toJson(problem.problem)}};
}

Result<SweepProblem> problemFrom(const json& json) {
  return SweepProblem{json.at("arguments"), HONE_TRY(model::problemFrom(json.at("problem")))};
}

cluster::Unit unitOf(const char* kind, json order) {
  cluster::Unit unit;
  unit.kind = kind;
  unit.key = cluster::unitKey(kind, order);
  unit.order = std::move(order);
  return unit;
}

json toJson(const ValidationRecord& record) {
  json choices = json::object();
  for (const auto& [name, choice] : record.choices) {
    choices[name] = {{"time_us", choice.timeUs}};
    if (choice.comparison) {
      choices[name]["comparison"] = cluster::toJson(*choice.comparison);
    }
  }
  return {{"arguments", record.arguments},
          {"baseline_us", record.baselineUs},
          {"choices", std::move(choices)},
          {"failures", record.failures}};
}

ValidationRecord validationFrom(const json& json) {
  ValidationRecord record;
  record.arguments = json.at("arguments");
  record.baselineUs = json.at("baseline_us");
  record.failures = json.at("failures").get<std::vector<std::string>>();
  for (const auto& [name, choice] : json.at("choices").items()) {
    ValidatedChoice& one = record.choices[name];
    one.timeUs = choice.at("time_us");
    if (choice.contains("comparison")) {
      one.comparison = cluster::comparisonFrom(choice.at("comparison"));
    }
  }
  return record;
}

}  // namespace

Result<std::vector<ShapeRecord>> sweepOnCluster(ClusterRun& cluster, const split::Sweeper& sweeper,
                                                const split::SweepOptions& options,
                                                std::span<const SweepProblem> problems,
                                                Progress& progress) {
  std::vector<ShapeRecord> records(problems.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (const ShapeRecord* before = sweeper.earlier(problems[i])) {
      records[i] = *before;
    } else {
      records[i].race = sweeper.raceOf(problems[i]);
      left.push_back(i);
    }
    records[i].shape.arguments = problems[i].arguments;
  }
  if (!left.empty()) {
    HONE_CHECK(cluster.awaitWorker(options.budget));
  }
  const engine::BudgetClock clock(options.budget);
  progress.stage("sweep", static_cast<std::int64_t>(left.size()));
  std::map<std::string, std::size_t> underWay;  // by key
  std::int64_t trials = 0;
  std::size_t next = 0;
  const auto spent = [&] {
    return clock.spent(options.budgetShare) ||
           (options.budget.trials && trials >= *options.budget.trials);
  };
  while (next < left.size() || !underWay.empty()) {
    if (next < left.size() && spent()) {
      for (; next < left.size(); ++next) {
        ShapeRecord& record = records[left[next]];
        record.failures.push_back(fmt::format("{}: beyond the budget", record.shape.arguments));
      }
    }
    for (; next < left.size() && underWay.size() < cluster.head().window(); ++next) {
      cluster::Unit unit = unitOf(kSweepUnit, {{"problem", problemJson(problems[left[next]])},
                                               {"limits", options.limits},
                                               {"flags", options.flags},
                                               {"compiler", options.compiler},
                                               {"seed", options.seed}});
      underWay[unit.key] = left[next];
      HONE_CHECK(cluster.head().handOut(std::move(unit)));
    }
    if (underWay.empty()) {
      break;
    }
    std::vector<std::string> keys;
    for (const auto& [key, index] : underWay) {
      keys.push_back(key);
    }
    const std::string key = HONE_TRY(cluster.head().awaitAny(keys));
    const cluster::Answer answer = cluster.head().take(key);
    ShapeRecord& record = records[underWay.extract(key).mapped()];
    const SweepProblem& problem = problems[static_cast<std::size_t>(&record - records.data())];
    if (answer.error) {
      record.failures.push_back(
          fmt::format("{}: {}", record.shape.arguments, answer.error->message));
      HONE_CHECK(cluster.keepFailed(nameOf(problem.problem), answer));
    } else {
      record = HONE_TRY(model::shapeRecordFrom(answer.result.at("shape")));
      HONE_CHECK(cluster.keep(answer));
    }
    trials += record.compiled;
    progress.step(cluster.head().status().text());
  }
  progress.finish();
  return records;
}

Result<std::vector<ValidationRecord>> validateOnCluster(ClusterRun& cluster,
                                                        std::span<const ValidationOrder> orders,
                                                        const std::vector<std::string>& flags,
                                                        std::uint64_t seed, Progress& progress) {
  std::vector<std::string> keys;
  for (const ValidationOrder& order : orders) {
    cluster::Unit unit = unitOf(kValidateUnit, {{"problem", problemJson(order.problem)},
                                                {"sizes", order.sizes},
                                                {"swept_baseline_us", order.sweptBaselineUs},
                                                {"flags", flags},
                                                {"seed", seed}});
    keys.push_back(unit.key);
    HONE_CHECK(cluster.head().handOut(std::move(unit)));
  }
  progress.stage("validate", static_cast<std::int64_t>(orders.size()));
  std::vector<ValidationRecord> records;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const cluster::Answer answer = HONE_TRY(cluster.head().await(keys[i]));
    if (answer.error) {
      ValidationRecord& failed = records.emplace_back();
      failed.arguments = orders[i].problem.arguments;
      failed.failures.push_back(fmt::format("{}: {}", failed.arguments, answer.error->message));
      HONE_CHECK(cluster.keepFailed(nameOf(orders[i].problem.problem), answer, "validate "));
    } else {
      records.push_back(validationFrom(answer.result.at("validation")));
      HONE_CHECK(cluster.keep(answer));
    }
    progress.step(cluster.head().status().text());
  }
  progress.finish();
  return records;
}

Result<json> performSweep(const cluster::Unit& unit, Toolchain& toolchain, Progress& progress) {
  const SweepProblem problem = HONE_TRY(problemFrom(unit.order.at("problem")));
  split::SweepOptions options;
  options.limits = unit.order.at("limits").get<std::vector<std::int64_t>>();
  options.flags = unit.order.at("flags").get<std::vector<std::string>>();
  options.compiler = unit.order.at("compiler");
  options.seed = unit.order.at("seed");
  const auto compile = split::attributeChoices(toolchain.compiler, options.limits);
  if (unit.onlyCompile) {
    const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-split"));
    const auto requests =
        HONE_TRY(split::requestsFor(std::span(&problem, 1), options.flags, folder.path()));
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    HONE_CHECK(compile(requests));
    return json::object();
  }
  cluster::ScratchStore scratch = HONE_TRY(cluster::ScratchStore::create());
  const iree::ModuleRunner runner = toolchain.runner();
  split::Sweeper sweeper(compile, runner, scratch.store(), progress, scratch.run(), options);
  const auto records = HONE_TRY(sweeper.sweep(std::span(&problem, 1)));
  return json{{"shape", model::toJson(records.front())},
              {"records", cluster::toJson(HONE_TRY(scratch.records()))}};
}

Result<json> performValidation(const cluster::Unit& unit, Toolchain& toolchain,
                               Progress& progress) {
  if (unit.onlyCompile) {
    return json::object();  // most of it is in the cache from the sweep
  }
  ValidationOrder order;
  order.problem = HONE_TRY(problemFrom(unit.order.at("problem")));
  order.sizes = unit.order.at("sizes").get<std::map<std::string, std::vector<std::int64_t>>>();
  order.sweptBaselineUs = unit.order.at("swept_baseline_us");
  cluster::ScratchStore scratch = HONE_TRY(cluster::ScratchStore::create());
  const iree::ModuleRunner runner = toolchain.runner();
  split::Validator validator(toolchain.compiler, runner, scratch.store(), progress, scratch.run(),
                             unit.order.at("flags"), unit.order.at("seed"));
  const auto records = HONE_TRY(validator.validate(std::span(&order, 1)));
  return json{{"validation", toJson(records.front())},
              {"records", cluster::toJson(HONE_TRY(scratch.records()))}};
}

}  // namespace hone::app
