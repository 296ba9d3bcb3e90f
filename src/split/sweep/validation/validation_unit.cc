#include "split/sweep/validation/validation_unit.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "engine/machine_lock.h"
#include "engine/program/program.h"
#include "engine/rounds/call_trials.h"
#include "engine/rounds/round_policies.h"
#include "engine/rounds/sampler.h"
#include "engine/verifier.h"
#include "iree/compile/split_compile.h"
#include "model/result/comparison_json.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

using iree::CompileReport;
using nlohmann::json;

constexpr double kNsPerUs = 1000;
/// Relative difference below which times count as equal, as in earlier tools.
constexpr double kMargin = 0.05;
/// Index of the baseline's twin among the contenders. The twin is the baseline measured a second
/// time, to estimate the noise.
constexpr std::size_t kTwin = 1;

/// Returns the number of rounds: long calls vary less and cost more, so they get fewer. Equal times
/// may stay ambiguous forever, so the number of rounds is limited.
engine::FinalOptions roundsFor(double callNs, std::uint64_t seed) {
  constexpr double kLongNs = 0.02e9;
  constexpr double kCostlyNs = 1e9;
  engine::FinalOptions options;
  options.rounds = 8;
  options.maxRounds = 16;
  if (callNs > kLongNs) {
    options.rounds = 5;
    options.maxRounds = callNs > kCostlyNs ? 5 : 10;
  }
  options.compare.margin = kMargin;
  options.compare.seed = seed;
  return options;
}

json toJson(const ValidationRecord& record) {
  json choices = json::object();
  for (const auto& [name, choice] : record.choices) {
    choices[name] = {{"time_us", choice.timeUs}};
    if (choice.comparison) {
      choices[name]["comparison"] = model::toJson(*choice.comparison);
    }
  }
  return {{"arguments", record.arguments},
          {"baseline_us", record.baselineUs},
          {"choices", std::move(choices)},
          {"failures", record.failures}};
}

}  // namespace

Result<ValidationRecord> validationFrom(const json& json) {
  try {
    ValidationRecord record;
    record.arguments = json.at("arguments");
    record.baselineUs = json.at("baseline_us");
    record.failures = json.at("failures").get<std::vector<std::string>>();
    for (const auto& [name, choice] : json.at("choices").items()) {
      ValidatedChoice& one = record.choices[name];
      one.timeUs = choice.at("time_us");
      if (choice.contains("comparison")) {
        one.comparison = model::comparisonFrom(choice.at("comparison"));
      }
    }
    return record;
  } catch (const nlohmann::json::exception& exception) {
    return machineError("cannot read validation: {}", exception.what());
  }
}

/// The compiled problem. Contender 0 is the baseline, 1 its twin, then one per split.
struct ValidationUnit::Item {
  iree::CompileRequest request;
  iree::SplitCompiled baseline;
  std::vector<std::string> labels;            ///< of the distinct splits
  std::vector<iree::SplitCompiled> compiled;  ///< one per label; empty if nothing compiles
  /// Index of the split of each strategy; nullopt: it is the compiler's default.
  std::map<std::string, std::optional<std::size_t>> splitOf;
  std::vector<engine::CallTrial> contenders;
  std::vector<engine::FinalTimes> found;  ///< one per contender
};

ValidationUnit::ValidationUnit(const ValidationTools& tools, ValidationOrder order)
    : tools_(tools), order_(std::move(order)) {}

ValidationUnit::~ValidationUnit() = default;

Result<std::unique_ptr<engine::Unit>> ValidationUnit::fromOrder(const ValidationTools& tools,
                                                                const json& order) {
  ValidationOrder decoded;
  decoded.problem = HONE_TRY(sweepProblemFrom(order.at("problem")));
  decoded.sizes = order.at("sizes").get<std::map<std::string, std::vector<std::int64_t>>>();
  decoded.sweptBaselineUs = order.at("swept_baseline_us");
  return std::make_unique<ValidationUnit>(tools, std::move(decoded));
}

Result<json> ValidationUnit::order(engine::FileShare& /*files*/) const {
  return json{{"problem", split::toJson(order_.problem)},
              {"sizes", order_.sizes},
              {"swept_baseline_us", order_.sweptBaselineUs},
              {"flags", tools_.flags},
              {"seed", tools_.seed}};
}

Result<void> ValidationUnit::prepare(std::span<engine::Unit* const> batch) {
  std::vector<ValidationUnit*> units;
  std::vector<SweepProblem> problems;
  for (engine::Unit* one : batch) {
    // NOLINTNEXTLINE(*-static-cast-downcast): all units of a batch are of one kind
    units.push_back(static_cast<ValidationUnit*>(one));
    problems.push_back(units.back()->order_.problem);
  }
  const auto sources = HONE_TRY(requestsFor(problems, tools_.flags, tools_.folder));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i]->item_ = std::make_unique<Item>();
    units[i]->item_->request = sources[i];
  }
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  return tools_.built ? compileBuilt(tools_, units) : compileByAttribute(tools_, units);
}

Result<void> ValidationUnit::compileByAttribute(const ValidationTools& tools,
                                                std::span<ValidationUnit* const> units) {
  std::vector<iree::CompileRequest> sources;
  std::vector<iree::CompileRequest> wholes;
  for (const ValidationUnit* unit : units) {
    sources.push_back(unit->item_->request);
    wholes.push_back(unit->item_->request);
    wholes.back().flags.emplace_back(iree::kEnableSplitFlag);
  }
  const auto programs = HONE_TRY(iree::prepareSplits(tools.compiler, sources));
  const auto baselines = HONE_TRY(tools.compiler.compileAll(wholes, {}));
  std::vector<iree::SplitOrder> orders;
  std::vector<Item*> ordered;
  for (std::size_t i = 0; i < units.size(); ++i) {
    Item& item = *units[i]->item_;
    item.baseline = {baselines[i].report, baselines[i].module, item.request.function};
    const auto compilersOwn = programs[i].compilersOwn.empty() ? std::vector<std::int64_t>{}
                                                               : programs[i].compilersOwn[0];
    iree::SplitOrder order{&programs[i], {}};
    for (const auto& [name, sizes] : units[i]->order_.sizes) {
      if (sizes == compilersOwn) {
        item.splitOf[name] = std::nullopt;
        continue;
      }
      const std::string label = sizes.empty() ? "unsplit" : fmt::format("{}", sizes);
      const auto at = std::ranges::find(item.labels, label);
      item.splitOf[name] = static_cast<std::size_t>(at - item.labels.begin());
      if (at == item.labels.end()) {
        item.labels.push_back(label);
        order.choices.push_back(sizes.empty() ? iree::SplitSizes{} : iree::SplitSizes{sizes});
      }
    }
    if (programs[i].report.status == CompileReport::Status::ok && !order.choices.empty()) {
      orders.push_back(std::move(order));
      ordered.push_back(&item);
    }
  }
  auto compiled = HONE_TRY(iree::compileSplits(tools.compiler, orders));
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    ordered[i]->compiled = std::move(compiled[i]);
  }
  return {};
}

Result<void> ValidationUnit::compileBuilt(const ValidationTools& tools,
                                          std::span<ValidationUnit* const> units) {
  std::vector<iree::CompileRequest> sources;
  for (const ValidationUnit* unit : units) {
    sources.push_back(unit->item_->request);
  }
  const auto problems = HONE_TRY(tools.built(sources));
  for (std::size_t i = 0; i < units.size(); ++i) {
    Item& item = *units[i]->item_;
    std::optional<std::size_t> split = 0;
    for (std::size_t choice = 0; choice < problems[i].choices.size(); ++choice) {
      const Choice& one = problems[i].choices[choice];
      if (one.isBaseline) {
        item.baseline = problems[i].compiled[choice];
        split = one.isRecommended ? std::nullopt : split;
      } else if (one.isRecommended) {
        item.labels = {"recommended code"};
        item.compiled = {problems[i].compiled[choice]};
      }
    }
    for (const auto& [name, sizes] : units[i]->order_.sizes) {
      item.splitOf[name] = split;
    }
  }
  return {};
}

Result<void> ValidationUnit::measure(engine::UnitContext& context) {
  Item& item = *item_;
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const model::Problem& problem = order_.problem.problem;
  const engine::Program program =
      engine::makeProgram(problem, item.request.source, item.request.function);
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, {}, tools_.seed, scratch.path()));
  const iree::ModuleRunner& runner = tools_.runnerAt(context.place);
  engine::Verifier verifier(runner, program, inputs, scratch.path());
  const engine::Sampler sampler(runner);
  engine::CallTrials trials(context.log, sampler);
  const auto add = [&](const std::string& name, const iree::SplitCompiled& one) -> Result<void> {
    engine::CallTrial contender;
    contender.call = {one.module, one.function, inputs.arguments};
    contender.trial.key = fmt::format("validate {} {}", nameOf(problem), name);
    contender.trial.problem = nameOf(problem);
    contender.trial.config.name = fmt::format("validate: {}", name);
    if (item.contenders.size() == kTwin) {
      HONE_CHECK(trials.addTwin(contender, item.contenders.front()));
    } else {
      HONE_CHECK(trials.screen(contender, one.report));
      HONE_CHECK(trials.verify(contender, verifier));
    }
    item.contenders.push_back(std::move(contender));
    return {};
  };
  HONE_CHECK(add("baseline", item.baseline));
  HONE_CHECK(add("baseline (again)", item.baseline));
  for (std::size_t i = 0; i < item.compiled.size(); ++i) {
    HONE_CHECK(add(item.labels[i], item.compiled[i]));
  }
  context.referenceCpuNs += verifier.referenceCpuNs();
  std::vector<engine::Participant> participants;
  std::vector<std::size_t> who;
  for (std::size_t i = 0; i < item.contenders.size(); ++i) {
    if (item.contenders[i].runs()) {
      participants.push_back(trials.participant(item.contenders[i]));
      who.push_back(i);
    }
  }
  item.found.resize(item.contenders.size());
  if (who.size() < 2 || who[1] != kTwin) {
    return {};  // nothing to compare with
  }
  engine::Rounds rounds(sampler.rankBy(), context.log, model::Stage::final);
  const engine::FinalOptions options =
      roundsFor(item.contenders.front().screenNs().value_or(0), tools_.seed);
  engine::FinalPolicy policy(participants.size(), options);
  engine::RoundLoopOptions loop;
  if (tools_.outOfTime) {
    loop.outOfTime = [&](std::int64_t number) {
      return number >= options.rounds && tools_.outOfTime();
    };
  }
  HONE_CHECK(engine::runRounds(rounds, participants, policy, loop));
  const auto& found = policy.result();
  for (std::size_t i = 0; i < who.size(); ++i) {
    item.found[who[i]] = found[i];
  }
  return {};
}

ValidationRecord ValidationUnit::conclude() const {
  const Item& item = *item_;
  ValidationRecord record;
  record.arguments = order_.problem.arguments;
  if (item.found.empty()) {
    record.baselineUs = order_.sweptBaselineUs;
  } else if (const auto& baselineNs = item.found[0].timesNs; !baselineNs.empty()) {
    record.baselineUs = stats::median(baselineNs) / kNsPerUs;
  }
  for (const auto& [name, split] : item.splitOf) {
    if (!split && record.baselineUs > 0) {
      record.choices[name] = {record.baselineUs, std::nullopt};
      continue;
    }
    const std::size_t who = split.value_or(item.contenders.size()) + kTwin + 1;
    if (who < item.found.size() && item.found[who].comparison) {
      record.choices[name] = {stats::median(item.found[who].timesNs) / kNsPerUs,
                              item.found[who].comparison};
      continue;
    }
    const std::string why =
        who < item.contenders.size() ? item.contenders[who].trial.message : "does not compile";
    record.failures.push_back(fmt::format("{} of {}: {}", name, record.arguments, why));
  }
  return record;
}

Result<json> ValidationUnit::perform(engine::UnitContext& context) {
  if (!item_) {
    engine::Unit* self = this;
    HONE_CHECK(prepare(std::span(&self, 1)));
  }
  if (!item_->compiled.empty()) {
    HONE_CHECK(measure(context));
  }
  return toJson(conclude());
}

}  // namespace hone::split
