#include "report/pages/split/split_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
constexpr std::size_t kMostSplitBars = 40;

/// A problem under the compiler's own code and under the recommended one.
struct Validated {
  std::string name;
  double baselineNs = kNone;
  double optimizedNs = kNone;
  stats::Interval speedup{kNone, kNone, kNone};
  std::string verdict;
};

/// Runs of older versions kept only sums.
std::vector<Validated> validatedOf(const SplitResult& result,
                                   const std::vector<SplitShape>& shapes) {
  std::map<std::string, std::string> names;
  for (const SplitShape& shape : shapes) {
    names[shape.arguments] = shape.name;
  }
  std::vector<Validated> list;
  for (const model::ValidatedSplit& one : result.validated) {
    const model::SplitChoice taken = one.recommended().value_or(model::SplitChoice());
    const auto name = names.find(one.arguments);
    list.push_back({.name = name == names.end() ? one.arguments : name->second,
                    .baselineNs = orNone(one.baselineUs) * kNsPerMicrosecond,
                    .optimizedNs = orNone(taken.timeUs) * kNsPerMicrosecond,
                    .speedup = taken.speedup.value_or(stats::Interval{kNone, 1, kNone}),
                    .verdict = textOf(taken.verdict)});
  }
  std::stable_sort(list.begin(), list.end(), [](const Validated& a, const Validated& b) {
    return a.speedup.estimate > b.speedup.estimate;
  });
  return list;
}

const SplitTally* tallyOf(const SplitResult& result, const std::string& way) {
  const auto found = result.validation.find(way);
  return found == result.validation.end() ? nullptr : &found->second;
}

/// The sums of the ladder that is recommended; of older runs those of the one with fewer slowed
/// down.
const SplitTally* recommendedTally(const SplitResult& result) {
  if (const SplitTally* recommended = tallyOf(result, "recommended")) {
    return recommended;
  }
  const SplitTally* oneD = tallyOf(result, "1-D");
  const SplitTally* twoD = tallyOf(result, "2-D");
  return oneD != nullptr && twoD != nullptr && twoD->regressed < oneD->regressed ? twoD : oneD;
}

void answerSweep(const SplitResult& result, std::size_t shapes, Answer& answer) {
  const SplitTally* tally = recommendedTally(result);
  if (tally == nullptr) {
    answer.headline = fmt::format("{} problems were swept; nothing was validated.", shapes);
    return;
  }
  if (tally->improved > 0 && tally->regressed == 0) {
    answer.tone = Answer::Tone::good;
  } else if (tally->regressed > 0) {
    answer.tone = Answer::Tone::bad;
  }
  answer.headline =
      tally->improved + tally->regressed > 0
          ? fmt::format("With the recommended limits the workload is {}.",
                        asFast(tally->totalSpeedup))
          : "No limit is surely better than the compiler's own choice on this workload.";
  answer.lines.push_back(fmt::format(
      "Of {} problems {} are surely faster, {} the same, {} too noisy to tell, {} surely slower; "
      "{} as a geometric mean. Measured side by side in fresh processes; 95 % intervals.",
      tally->shapes, tally->improved, tally->neutral, tally->ambiguous, tally->regressed,
      asFast(tally->geomeanSpeedup)));
  if (const SplitTally* oracle = tallyOf(result, "oracle")) {
    const bool noise = oracle->geomeanSpeedup < tally->geomeanSpeedup;
    answer.lines.push_back(
        fmt::format("The best limit for every problem alone would give {:.2f}x{}.",
                    oracle->geomeanSpeedup, noise ? ": less than these, which is noise" : ""));
  }
}

void addValidation(const std::vector<Validated>& list, Document& document) {
  if (list.empty()) {
    return;
  }
  Bars bars;
  bars.title = "The recommended limits against the compiler's own choice";
  bars.note =
      "Speedup of each problem, measured side by side; whiskers are 95 % intervals. Sure is only "
      "what lies wholly beyond the noise floor: what the compiler's own code shows against itself.";
  bars.value = {"speedup", "x", true};
  bars.base = 1;
  bars.rules = {1};
  Bars::Group group;
  // Where there are too many, the ends are what matters: the most gained and the most lost.
  const bool cut = list.size() > kMostSplitBars;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (cut && i >= kMostSplitBars / 2 && i + kMostSplitBars / 2 < list.size()) {
      continue;
    }
    bars.names.push_back(list[i].name);
    group.values.push_back(list[i].speedup.estimate);
    group.low.push_back(list[i].speedup.low);
    group.high.push_back(list[i].speedup.high);
  }
  if (cut) {
    bars.note += fmt::format(" The {} at both ends of {}; the table has all.", kMostSplitBars / 2,
                             list.size());
  }
  bars.groups.push_back(std::move(group));
  document.add(bars);
  DataTable table;
  table.title = "Baseline against optimized";
  table.columns = {{"problem"},  {"baseline", "ns"}, {"optimized", "ns"}, {"speedup", "x"},
                   {"low", "x"}, {"high", "x"},      {"verdict"}};
  for (const Validated& one : list) {
    table.columns[0].texts.push_back(one.name);
    table.columns[1].numbers.push_back(one.baselineNs);
    table.columns[2].numbers.push_back(one.optimizedNs);
    table.columns[3].numbers.push_back(one.speedup.estimate);
    table.columns[4].numbers.push_back(one.speedup.low);
    table.columns[5].numbers.push_back(one.speedup.high);
    table.columns[6].texts.push_back(one.verdict);
  }
  document.add(table);
}

void addFailures(const SplitResult& result, Document& document) {
  DataTable table;
  table.title = "Failures";
  table.empty = "Nothing failed.";
  table.columns = {{"what failed"}};
  table.columns[0].texts = result.failures;
  document.add(table);
}

/// Under way: what the sweep has seen by now.
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
        "The most so far, in {}: {} is {} under limit {} as under the compiler's own choice.",
        counted(shapes.size(), "problem"), best->name, asFast(most), *best->bestLimit()));
  }
}

/// Of `hone split annotate`: a program, and the splits put on its operations.
void describeAnnotated(const RunRecord& record, const model::SplitAnnotation& annotation,
                       Document& document) {
  const auto& speedup = annotation.speedup;
  const auto verdict = annotation.verdict;
  if (!speedup) {
    document.answer.headline = "No operation gains from a split.";
  } else {
    document.answer.headline =
        fmt::format("With its splits the program is {}.", asFast(speedup->estimate));
    document.answer.lines.push_back(
        fmt::format("{}; {}; results equal.", speedupText(*speedup), sureness(verdict)));
    document.answer.tone = verdict == stats::Verdict::improved    ? Answer::Tone::good
                           : verdict == stats::Verdict::regressed ? Answer::Tone::bad
                                                                  : Answer::Tone::plain;
  }
  std::vector<RunRecord::Runner> runners;
  for (const store::Trial& trial : record.trials) {
    const std::string name = labelOf(trial);
    if (name == "as it is" || name == "as it is (again)" || name == "with splits") {
      runners.push_back({&trial, name,
                         name == "as it is"      ? Role::baseline
                         : name == "with splits" ? Role::winner
                                                 : Role::faint});
    }
  }
  document.add(record.roundsPlot("The program with and without splits, round by round", runners));
  DataTable table;
  table.title = "Its operations";
  table.columns = {{"kind"},
                   {"output size"},
                   {"reduction size"},
                   {"split into parts of"},
                   {"speedup alone", "x"}};
  for (const model::AnnotatedOperation& operation : annotation.operations) {
    const auto& reduction = operation.reduction;
    table.columns[0].texts.emplace_back(reduction ? nameOf(reduction->kind) : "");
    table.columns[1].numbers.push_back(reduction ? static_cast<double>(reduction->outputSize())
                                                 : kNone);
    table.columns[2].numbers.push_back(reduction ? static_cast<double>(reduction->reductionSize())
                                                 : kNone);
    table.columns[3].texts.push_back(operation.sizes.empty()
                                         ? "not split"
                                         : fmt::format("[{}]", fmt::join(operation.sizes, ",")));
    table.columns[4].numbers.push_back(orNone(operation.gainAlone));
  }
  document.add(table);
}

}  // namespace

Result<void> describeSplit(const RunRecord& record, Document& document) {
  if (const auto annotation = HONE_TRY(model::splitAnnotationFrom(record.summary()))) {
    describeAnnotated(record, *annotation, document);
    return {};
  }
  const SplitResult result = HONE_TRY(model::splitResultFrom(record.summary()));
  const std::vector<SplitShape> shapes =
      result.shapes ? shapesOf(*result.shapes) : shapesSoFar(record);
  answerSweep(result, shapes.size(), document.answer);
  if (!record.finished()) {
    answerSoFar(shapes, document.answer);
  }
  if (shapes.empty()) {
    return {};
  }
  addValidation(validatedOf(result, shapes), document);
  addLadders(result, shapes, document);
  addSweep(shapes, document);
  addFailures(result, document);
  return {};
}

}  // namespace hone::report
