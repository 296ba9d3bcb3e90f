#include "split/sweep/validator.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "engine/machine_lock.h"
#include "engine/program.h"
#include "iree/compile/split_compile.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

using iree::CompileReport;

constexpr std::size_t kValidatedTogether = 16;
constexpr double kNsPerUs = 1000;
/// What the seed's users count as the same.
constexpr double kMargin = 0.05;
/// The place of the baseline's twin among the contenders.
constexpr std::size_t kTwin = 1;

/// Long calls vary less, and cost more. What is the same within the margin may stay ambiguous for
/// any number of rounds: for this, too, there is an end.
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

}  // namespace

/// A problem on its way: contender 0 is the baseline, 1 its twin, then one for each way to split.
struct Validator::Item {
  const ValidationOrder* order = nullptr;
  iree::CompileRequest request;
  iree::Compiled baseline;
  std::vector<std::vector<std::int64_t>> sizes;  ///< the different ones
  std::vector<iree::SplitCompiled> compiled;     ///< one for each
  std::vector<std::int64_t> compilersOwn;
  std::vector<engine::CallTrial> contenders;
  std::vector<engine::PairedTimes> found;  ///< one per contender
  ValidationRecord record;
};

Result<void> Validator::compileItems(std::vector<Item>& items) {
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  std::vector<iree::CompileRequest> sources;
  std::vector<iree::CompileRequest> wholes;
  for (const Item& item : items) {
    sources.push_back(item.request);
    wholes.push_back(item.request);
    wholes.back().flags.emplace_back(iree::kEnableSplitFlag);
  }
  const auto programs = HONE_TRY(iree::prepareSplits(compiler_, sources));
  const auto baselines = HONE_TRY(compiler_.compileAll(wholes, {}));
  std::vector<iree::SplitOrder> orders;
  std::vector<Item*> ordered;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    item.baseline = baselines[i];
    item.compilersOwn = programs[i].compilersOwn.empty() ? std::vector<std::int64_t>{}
                                                         : programs[i].compilersOwn[0];
    iree::SplitOrder order{&programs[i], {}};
    for (const auto& [name, sizes] : item.order->sizes) {
      if (sizes != item.compilersOwn &&
          std::find(item.sizes.begin(), item.sizes.end(), sizes) == item.sizes.end()) {
        item.sizes.push_back(sizes);
        order.choices.push_back(sizes.empty() ? iree::SplitSizes{} : iree::SplitSizes{sizes});
      }
    }
    if (programs[i].report.status == CompileReport::Status::ok && !order.choices.empty()) {
      orders.push_back(std::move(order));
      ordered.push_back(&item);
    }
  }
  auto compiled = HONE_TRY(iree::compileSplits(compiler_, orders));
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    ordered[i]->compiled = std::move(compiled[i]);
  }
  return {};
}

Result<void> Validator::runRounds(Item& item) {
  std::vector<engine::Participant> participants;
  std::vector<std::size_t> who;
  for (std::size_t i = 0; i < item.contenders.size(); ++i) {
    if (item.contenders[i].runs()) {
      participants.push_back(trials_.participant(item.contenders[i]));
      who.push_back(i);
    }
  }
  item.found.resize(item.contenders.size());
  if (who.size() < 2 || who[1] != kTwin) {
    return {};  // without the baseline and its twin there is nothing to compare with
  }
  engine::Rounds rounds(sampler_.rankBy(), store_, model::Stage::final);
  rounds.restore(trials_.recorded());
  engine::FinalPolicy policy(participants.size(),
                             roundsFor(item.contenders.front().screenNs().value_or(0), seed_));
  HONE_CHECK(engine::runRounds(rounds, participants, policy));
  const auto& found = policy.result();
  for (std::size_t i = 0; i < who.size(); ++i) {
    item.found[who[i]] = found[i];
  }
  return {};
}

Result<void> Validator::measureItem(Item& item) {
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const model::Problem& problem = item.order->problem.problem;
  const engine::Program program =
      engine::programOf(problem, item.request.source, item.request.function);
  const engine::Inputs inputs = HONE_TRY(engine::makeInputs(program, {}, seed_, scratch.path()));
  engine::Verifier verifier(runner_, program, inputs, scratch.path());
  const auto add = [&](const std::string& name, const CompileReport& report,
                       const std::filesystem::path& module,
                       const std::string& function) -> Result<void> {
    engine::CallTrial contender;
    contender.call = {module, function, inputs.arguments};
    contender.trial.key = fmt::format("validate {} {}", nameOf(problem), name);
    contender.trial.problem = nameOf(problem);
    contender.trial.config.name = fmt::format("validate: {}", name);
    if (item.contenders.size() == kTwin) {
      HONE_CHECK(trials_.addTwin(contender, item.contenders.front()));
    } else {
      HONE_CHECK(trials_.screen(contender, report));
      HONE_CHECK(trials_.verify(contender, verifier));
    }
    item.contenders.push_back(std::move(contender));
    return {};
  };
  HONE_CHECK(add("baseline", item.baseline.report, item.baseline.module, item.request.function));
  HONE_CHECK(
      add("baseline (again)", item.baseline.report, item.baseline.module, item.request.function));
  for (std::size_t i = 0; i < item.compiled.size(); ++i) {
    const iree::SplitCompiled& one = item.compiled[i];
    HONE_CHECK(add(item.sizes[i].empty() ? "unsplit" : fmt::format("{}", item.sizes[i]), one.report,
                   one.module, one.function));
  }
  referenceCpuNs_ += verifier.referenceCpuNs();
  return runRounds(item);
}

void Validator::conclude(Item& item) {
  ValidationRecord& record = item.record;
  const auto baselineNs = item.found.empty() ? std::vector<double>{} : item.found[0].timesNs;
  record.baselineUs =
      baselineNs.empty() ? item.order->sweptBaselineUs : stats::median(baselineNs) / kNsPerUs;
  for (const auto& [name, sizes] : item.order->sizes) {
    if (sizes == item.compilersOwn) {
      record.choices[name] = {record.baselineUs, std::nullopt};
      continue;
    }
    const auto at = std::find(item.sizes.begin(), item.sizes.end(), sizes) - item.sizes.begin();
    const auto who = static_cast<std::size_t>(at) + 2;
    if (who < item.found.size() && item.found[who].comparison) {
      record.choices[name] = {stats::median(item.found[who].timesNs) / kNsPerUs,
                              item.found[who].comparison};
      continue;
    }
    const std::string why =
        who < item.contenders.size() ? item.contenders[who].trial.message : "it does not compile";
    record.failures.push_back(fmt::format("{} of {}: {}", name, record.arguments, why));
  }
}

Result<std::vector<ValidationRecord>> Validator::validate(std::span<const ValidationOrder> orders) {
  HONE_CHECK(trials_.restore());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  std::vector<ValidationRecord> records;
  progress_.stage("validate", {.total = static_cast<std::int64_t>(orders.size()),
                               .atMost = clock_.leftUntil(1.0)});
  for (std::size_t at = 0; at < orders.size(); at += kValidatedTogether) {
    std::vector<Item> items;
    for (const ValidationOrder& order :
         orders.subspan(at, std::min(kValidatedTogether, orders.size() - at))) {
      Item item;
      item.order = &order;
      item.record.arguments = order.problem.arguments;
      item.request = std::move(
          HONE_TRY(requestsFor(std::span(&order.problem, 1), flags_, scratch.path())).front());
      items.push_back(std::move(item));
    }
    const bool inTime = !clock_.spent(1.0);
    if (inTime) {
      HONE_CHECK(compileItems(items));
    }
    for (Item& item : items) {
      if (!inTime || (!item.compiled.empty() && clock_.spent(1.0))) {
        item.record.failures.push_back(
            fmt::format("{}: not validated: beyond the budget", item.record.arguments));
        records.push_back(std::move(item.record));
        continue;
      }
      if (!item.compiled.empty()) {
        HONE_CHECK(measureItem(item));
      }
      conclude(item);
      records.push_back(std::move(item.record));
      progress_.step(records.back().arguments);
    }
  }
  progress_.finish();
  return records;
}

}  // namespace hone::split
