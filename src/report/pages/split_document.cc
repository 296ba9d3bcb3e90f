#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/data/run_record.h"
#include "report/pages/split_shapes.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using nlohmann::json;

constexpr double kNsPerUs = 1000;
constexpr std::size_t kMostBars = 40;

/// A problem under the compiler's own code and under the recommended one.
struct Validated {
  std::string name;
  double baselineNs = kNone;
  double optimizedNs = kNone;
  stats::Interval speedup{kNone, kNone, kNone};
  std::string verdict;
};

/// Runs of older versions kept only sums.
std::vector<Validated> validatedOf(const json& summary, const std::vector<SplitShape>& shapes) {
  std::map<std::string, std::string> names;
  for (const SplitShape& shape : shapes) {
    names[shape.arguments] = shape.name;
  }
  std::vector<Validated> list;
  for (const json& one : memberOf(summary, "validated")) {
    const json& taken = memberOf(memberOf(one, "choices"), textIn(one, "taken").c_str());
    const std::string arguments = textIn(one, "arguments");
    const auto name = names.find(arguments);
    const auto speedup = intervalFrom(memberOf(taken, "speedup"));
    list.push_back({.name = name == names.end() ? arguments : name->second,
                    .baselineNs = numberIn(one, "baseline_us") * kNsPerUs,
                    .optimizedNs = numberIn(taken, "time_us") * kNsPerUs,
                    .speedup = speedup.value_or(stats::Interval{kNone, 1, kNone}),
                    .verdict = textIn(taken, "verdict")});
  }
  std::stable_sort(list.begin(), list.end(), [](const Validated& a, const Validated& b) {
    return a.speedup.estimate > b.speedup.estimate;
  });
  return list;
}

/// The sums of the ladder that is recommended; of older runs those of the one with fewer slowed
/// down.
const json& tallyOf(const json& summary) {
  const json& validation = memberOf(summary, "validation");
  const json& recommended = memberOf(validation, "recommended");
  if (!recommended.is_null()) {
    return recommended;
  }
  const json& oneD = memberOf(validation, "1-D");
  const json& twoD = memberOf(validation, "2-D");
  return numberIn(twoD, "regressed") < numberIn(oneD, "regressed") ? twoD : oneD;
}

void answerSweep(const json& summary, std::size_t shapes, Answer& answer) {
  const json& tally = tallyOf(summary);
  if (tally.is_null()) {
    answer.headline = fmt::format("{} problems were swept; nothing was validated.", shapes);
    return;
  }
  const double total = numberIn(tally, "total_speedup");
  const double regressed = numberIn(tally, "regressed");
  const double improved = numberIn(tally, "improved");
  if (improved > 0 && regressed == 0) {
    answer.tone = Answer::Tone::good;
  } else if (regressed > 0) {
    answer.tone = Answer::Tone::bad;
  }
  answer.headline =
      improved + regressed > 0
          ? fmt::format("With the recommended limits the workload is {}.", asFast(total))
          : "No limit is surely better than the compiler's own choice on this workload.";
  answer.lines.push_back(fmt::format(
      "Of {:.0f} problems {:.0f} are surely faster, {:.0f} the same, {:.0f} too noisy to tell, "
      "{:.0f} "
      "surely slower; {} as a geometric mean. Measured side by side in fresh processes; 95 % "
      "intervals.",
      numberIn(tally, "shapes"), improved, numberIn(tally, "neutral"), numberIn(tally, "ambiguous"),
      regressed, asFast(numberIn(tally, "geomean_speedup"))));
  const double oracle =
      numberIn(memberOf(memberOf(summary, "validation"), "oracle"), "geomean_speedup");
  if (!std::isnan(oracle)) {
    const bool noise = oracle < numberIn(tally, "geomean_speedup");
    answer.lines.push_back(
        fmt::format("The best limit for every problem alone would give {:.2f}x{}.", oracle,
                    noise ? ": less than these, which is noise" : ""));
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
  const bool cut = list.size() > kMostBars;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (cut && i >= kMostBars / 2 && i + kMostBars / 2 < list.size()) {
      continue;
    }
    bars.names.push_back(list[i].name);
    group.values.push_back(list[i].speedup.estimate);
    group.low.push_back(list[i].speedup.low);
    group.high.push_back(list[i].speedup.high);
  }
  if (cut) {
    bars.note +=
        fmt::format(" The {} at both ends of {}; the table has all.", kMostBars / 2, list.size());
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

void addFailures(const json& summary, Document& document) {
  DataTable table;
  table.title = "Failures";
  table.empty = "Nothing failed.";
  table.columns = {{"what failed"}};
  for (const json& failure : memberOf(summary, "failures")) {
    table.columns[0].texts.push_back(failure.is_string() ? failure.get<std::string>() : "");
  }
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
void describeAnnotated(const RunRecord& record, Document& document) {
  const json& summary = record.run.summary;
  const auto speedup = intervalFrom(memberOf(summary, "speedup"));
  const std::string verdict = textIn(summary, "verdict");
  if (!speedup) {
    document.answer.headline = "No operation gains from a split.";
  } else {
    document.answer.headline =
        fmt::format("With its splits the program is {}.", asFast(speedup->estimate));
    document.answer.lines.push_back(
        fmt::format("{}; {}; results equal.", speedupText(*speedup), sureness(verdict)));
    document.answer.tone = verdict == "improved"    ? Answer::Tone::good
                           : verdict == "regressed" ? Answer::Tone::bad
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
  for (const json& operation : memberOf(summary, "operations")) {
    const auto reduction = model::reductionFrom(memberOf(operation, "reduction"));
    const json& sizes = memberOf(operation, "sizes");
    table.columns[0].texts.emplace_back(reduction ? nameOf(reduction->kind) : "");
    table.columns[1].numbers.push_back(reduction ? static_cast<double>(reduction->outputSize())
                                                 : kNone);
    table.columns[2].numbers.push_back(reduction ? static_cast<double>(reduction->reductionSize())
                                                 : kNone);
    table.columns[3].texts.push_back(sizes.empty() ? "not split" : sizes.dump());
    table.columns[4].numbers.push_back(numberIn(operation, "gain_alone"));
  }
  document.add(table);
}

}  // namespace

void describeSplit(const RunRecord& record, Document& document) {
  const json& summary = record.run.summary;
  if (memberOf(summary, "operations").is_array()) {
    describeAnnotated(record, document);
    return;
  }
  const bool kept = memberOf(summary, "shapes").is_array();
  const std::vector<SplitShape> shapes = kept ? shapesOf(summary) : shapesSoFar(record);
  answerSweep(summary, shapes.size(), document.answer);
  if (!record.finished()) {
    answerSoFar(shapes, document.answer);
  }
  if (shapes.empty()) {
    return;
  }
  addValidation(validatedOf(summary, shapes), document);
  addLadders(summary, shapes, document);
  addSweep(shapes, document);
  addFailures(summary, document);
}

}  // namespace hone::report
