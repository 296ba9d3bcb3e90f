#include "report/pages/split/split_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/result/summary/split_result.h"
#include "report/pages/split/split_ladder.h"
#include "report/pages/split/split_shapes.h"
#include "report/pages/split/split_sweep.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::SplitResult;
using model::SplitTally;

constexpr double kNsPerMicrosecond = 1000;
constexpr std::size_t kMaxSplitBars = 40;

/// Times of a problem under the compiler's default and under the recommended limits.
struct Validated {
  std::string name;
  double baselineNs = kNone;
  double optimizedNs = kNone;
  stats::Interval speedup{kNone, kNone, kNone};
  std::string verdict;
};

bool isMeasured(const Validated& one) { return !std::isnan(one.speedup.estimate); }

/// Returns the validated problems, fastest first, those not measured last; empty for older
/// versions, which stored only sums.
std::vector<Validated> collectValidated(const SplitResult& result,
                                        const std::vector<SplitShape>& shapes) {
  std::map<std::string, std::string> names;
  for (const SplitShape& shape : shapes) {
    names[shape.arguments] = shape.name;
  }
  std::vector<Validated> list;
  for (const model::ValidatedSplit& one : result.validated) {
    const auto recommended = one.recommended();
    const model::SplitChoice taken = recommended.value_or(model::SplitChoice());
    // A choice without an interval is the compiler's default.
    const double estimate = recommended && taken.timeUs ? 1 : kNone;
    const auto name = names.find(one.arguments);
    list.push_back({.name = name == names.end() ? one.arguments : name->second,
                    .baselineNs = orNone(one.baselineUs) * kNsPerMicrosecond,
                    .optimizedNs = orNone(taken.timeUs) * kNsPerMicrosecond,
                    .speedup = taken.speedup.value_or(stats::Interval{kNone, estimate, kNone}),
                    .verdict = formatVerdict(taken.verdict)});
  }
  std::stable_sort(list.begin(), list.end(), [](const Validated& a, const Validated& b) {
    return isMeasured(a) != isMeasured(b) ? isMeasured(a) : a.speedup.estimate > b.speedup.estimate;
  });
  return list;
}

const SplitTally* findTally(const SplitResult& result, const std::string& way) {
  const auto found = result.validation.find(way);
  return found == result.validation.end() ? nullptr : &found->second;
}

void answerSweep(const SplitResult& result, std::size_t shapes, Answer& answer) {
  const SplitTally* tally = recommendedTally(result);
  if (tally == nullptr || !tally->totalSpeedup || !tally->geomeanSpeedup) {
    answer.headline = fmt::format("{} swept, none validated.", counted(shapes, "problem"));
    return;
  }
  if (tally->improved > 0 && tally->regressed == 0) {
    answer.tone = Answer::Tone::good;
  } else if (tally->regressed > 0) {
    answer.tone = Answer::Tone::bad;
  }
  answer.headline = tally->improved + tally->regressed > 0
                        ? fmt::format("With the recommended limits the workload is {}.",
                                      asFast(*tally->totalSpeedup))
                        : "No significant speedup over the compiler's default on this workload.";
  answer.lines.push_back(fmt::format(
      "{}: {} faster, {} unchanged, {} ambiguous, {} slower (95 % CI); geometric mean {}. Measured "
      "side by side in fresh processes.",
      counted(static_cast<std::size_t>(tally->shapes), "problem"), tally->improved, tally->neutral,
      tally->ambiguous, tally->regressed, asFast(*tally->geomeanSpeedup)));
  if (const SplitTally* oracle = findTally(result, "oracle");
      oracle != nullptr && oracle->geomeanSpeedup) {
    const bool noise = *oracle->geomeanSpeedup < *tally->geomeanSpeedup;
    answer.lines.push_back(fmt::format(
        "Oracle, the best measured limit of each problem: {:.2f}x{}.", *oracle->geomeanSpeedup,
        noise ? "; it is below the recommended limits only because of noise" : ""));
  }
}

void addValidation(const std::vector<Validated>& list, Document& document) {
  if (list.empty()) {
    return;
  }
  Bars bars;
  bars.title = "Speedup of the recommended limits over the compiler's default";
  bars.note =
      "One bar per problem, measured side by side; whiskers are 95 % confidence intervals. A "
      "change counts if its whole interval is beyond the noise floor, the difference of the "
      "default from itself.";
  bars.value = {"speedup", "x", true};
  bars.base = 1;
  bars.rules = {1};
  Bars::Group group;
  // If there are too many, keep the largest speedups and slowdowns.
  const auto measured = static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), isMeasured));  // the others are last
  const bool cut = measured > kMaxSplitBars;
  for (std::size_t i = 0; i < measured; ++i) {
    if (cut && i >= kMaxSplitBars / 2 && i + kMaxSplitBars / 2 < measured) {
      continue;
    }
    bars.names.push_back(list[i].name);
    group.values.push_back(list[i].speedup.estimate);
    group.low.push_back(list[i].speedup.low);
    group.high.push_back(list[i].speedup.high);
  }
  if (cut) {
    bars.note += fmt::format(" The {0} fastest and {0} slowest of {1}; the table lists all.",
                             kMaxSplitBars / 2, measured);
  }
  bars.groups.push_back(std::move(group));
  if (measured > 0) {
    document.add(bars);
  }
  DataTable table;
  table.title = "Default and recommended limits";
  table.columns = {{"problem"}, {"speedup", "x"},  {"low", "x"},         {"high", "x"},
                   {"verdict"}, {"default", "ns"}, {"recommended", "ns"}};
  for (const Validated& one : list) {
    table.columns[0].texts.push_back(one.name);
    table.addInterval(1, one.speedup);
    table.columns[4].texts.push_back(one.verdict);
    table.columns[5].numbers.push_back(one.baselineNs);
    table.columns[6].numbers.push_back(one.optimizedNs);
  }
  document.add(table);
}

void addFailures(const SplitResult& result, Document& document) {
  DataTable table;
  table.title = "Failures";
  table.empty = "No failures.";
  table.columns = {{"failure"}};
  table.columns[0].texts = result.failures;
  document.add(table);
}

/// Adds the largest speedup so far of an unfinished sweep.
void answerSoFar(const std::vector<SplitShape>& shapes, Answer& answer) {
  const SplitShape* best = nullptr;
  double most = 1;
  for (const SplitShape& shape : shapes) {
    const auto limit = shape.bestLimit();
    const double gain =
        limit && shape.baselineNs ? *shape.baselineNs / shape.limitsNs.at(*limit) : 1;
    if (gain > most) {
      most = gain;
      best = &shape;
    }
  }
  if (best != nullptr) {
    answer.lines.push_back(fmt::format(
        "Largest speedup so far in {}: {} is {} with limit {} as with the compiler's default.",
        counted(shapes.size(), "problem"), best->name, asFast(most), *best->bestLimit()));
  }
}

/// Describes a run of `hone split annotate`: a program and the splits of its operations.
void describeAnnotated(const RunRecord& record, const model::SplitAnnotation& annotation,
                       Document& document) {
  const auto& speedup = annotation.speedup;
  const auto verdict = annotation.verdict;
  if (!speedup) {
    document.answer.headline = "No operation benefits from a split.";
  } else {
    document.answer.headline =
        fmt::format("The program with splits is {}.", asFast(speedup->estimate));
    document.answer.lines.push_back(fmt::format("{}; {}; results verified equal.",
                                                speedupText(*speedup), explainVerdict(verdict)));
    document.answer.tone = verdict == stats::Verdict::improved    ? Answer::Tone::good
                           : verdict == stats::Verdict::regressed ? Answer::Tone::bad
                                                                  : Answer::Tone::plain;
  }
  std::vector<RunRecord::Runner> runners;
  for (const store::Trial& trial : record.trials) {
    const std::string name = makeLabel(trial);
    if (name == "as it is" || name == "as it is (again)" || name == "with splits") {
      runners.push_back({&trial, name,
                         name == "as it is"      ? Role::baseline
                         : name == "with splits" ? Role::winner
                                                 : Role::faint});
    }
  }
  document.add(record.roundsPlot("Program with and without splits: time per round", runners));
  DataTable table;
  table.title = "Operations";
  table.columns = {
      {"kind"}, {"speedup alone", "x"}, {"part sizes"}, {"output size"}, {"reduction size"}};
  for (const model::AnnotatedOperation& operation : annotation.operations) {
    const auto& reduction = operation.reduction;
    table.columns[0].texts.emplace_back(reduction ? nameOf(reduction->kind) : "");
    table.columns[1].numbers.push_back(orNone(operation.gainAlone));
    table.columns[2].texts.push_back(operation.sizes.empty()
                                         ? "not split"
                                         : fmt::format("[{}]", fmt::join(operation.sizes, ",")));
    table.columns[3].numbers.push_back(reduction ? static_cast<double>(reduction->outputSize())
                                                 : kNone);
    table.columns[4].numbers.push_back(reduction ? static_cast<double>(reduction->reductionSize())
                                                 : kNone);
  }
  document.add(table);
}

}  // namespace

const SplitTally* recommendedTally(const SplitResult& result) {
  if (const SplitTally* recommended = findTally(result, "recommended")) {
    return recommended;
  }
  const SplitTally* oneD = findTally(result, "1-D");
  const SplitTally* twoD = findTally(result, "2-D");
  return oneD != nullptr && twoD != nullptr && twoD->regressed < oneD->regressed ? twoD : oneD;
}

Result<void> describeSplit(const RunRecord& record, Document& document) {
  if (const auto annotation = HONE_TRY(model::splitAnnotationFrom(record.summary()))) {
    describeAnnotated(record, *annotation, document);
    return {};
  }
  const SplitResult result = HONE_TRY(model::splitResultFrom(record.summary()));
  const std::vector<SplitShape> shapes =
      result.shapes ? toShapes(*result.shapes) : collectShapes(record);
  answerSweep(result, shapes.size(), document.answer);
  if (!record.finished()) {
    answerSoFar(shapes, document.answer);
  }
  if (shapes.empty()) {
    return {};
  }
  addValidation(collectValidated(result, shapes), document);
  addLadders(result, shapes, document);
  addSweep(shapes, document);
  addFailures(result, document);
  return {};
}

}  // namespace hone::report
