#include "report/render/compare_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text/text.h"
#include "report/render/answer_text.h"
#include "report/render/table.h"
#include "store/export.h"

namespace hone::report {
namespace {

using nlohmann::json;

constexpr std::array kWorstFirst = {Change::broken, Change::slower, Change::ambiguous, Change::same,
                                    Change::faster};

/// Returns "tiles 8x8 -> tiles 4x4", or one name if both are equal.
std::string choicesText(const ComparedItem& item) {
  return item.choiceBefore == item.choiceAfter
             ? item.choiceBefore
             : fmt::format("{} -> {}", item.choiceBefore, item.choiceAfter);
}

std::string itemLabel(const ComparedItem& item) {
  const std::string choices = choicesText(item);
  return choices.empty() ? item.label : fmt::format("{} ({})", item.label, choices);
}

std::string formatRatio(const ComparedItem& item) {
  return item.afterNs > 0 ? fmt::format("{:.3f}x", item.comparison.speedup.estimate) : "";
}

std::string formatInterval(const ComparedItem& item) {
  const stats::Interval& speedup = item.comparison.speedup;
  return item.afterNs > 0 ? fmt::format("{:.3f} - {:.3f}", speedup.low, speedup.high) : "";
}

std::string formatTime(double nanoseconds) {
  return nanoseconds > 0 ? humanTime(nanoseconds) : "-";
}

/// Returns the width left for labels by the other columns. The table cuts wider lines itself.
std::size_t labelWidth(std::size_t width, std::size_t verdictWidth) {
  constexpr std::size_t kNumberColumns = 44;
  constexpr std::size_t kMinWidth = 16;
  if (width == 0) {
    return std::numeric_limits<std::size_t>::max();
  }
  const std::size_t others = kNumberColumns + verdictWidth;
  return width > others + kMinWidth ? width - others : kMinWidth;
}

/// Returns "2 slower, 1 ambiguous, 5 same", worst first.
std::string countsText(const RunComparison& comparison) {
  std::vector<std::string> parts;
  for (const Change change : kWorstFirst) {
    if (const std::size_t count = comparison.count(change); count > 0) {
      parts.push_back(fmt::format("{} {}", count, describeChange(change)));
    }
  }
  return parts.empty() ? "the runs have no measured item in common" : join(parts, ", ");
}

std::string floorText(const RunComparison& comparison) {
  return comparison.equalBinaries == 0
             ? ""
             : fmt::format(
                   "noise floor: {} identical binar{} differ{} by up to {:.1f} % between the runs",
                   comparison.equalBinaries, comparison.equalBinaries == 1 ? "y" : "ies",
                   comparison.equalBinaries == 1 ? "s" : "", 100 * comparison.floor);
}

/// Returns "only in run 3: a, b and 7 more".
std::string onlyText(std::int64_t run, const std::vector<std::string>& labels) {
  constexpr std::size_t kNamed = 5;
  if (labels.empty()) {
    return "";
  }
  const std::vector<std::string> named(
      labels.begin(),
      labels.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, labels.size())));
  return fmt::format(
      "only in run {}: {}{}\n", run, join(named, ", "),
      labels.size() > kNamed ? fmt::format(" and {} more", labels.size() - kNamed) : "");
}

/// Returns "run 4 is failed, not finished: 2 items timed in run 3 are missing".
std::string missingText(const RunComparison& comparison) {
  return comparison.missing == 0
             ? ""
             : fmt::format("run {} is {}, not finished: {} timed in run {} {} missing",
                           comparison.after.id, nameOf(comparison.after.status),
                           counted(comparison.missing, "item"), comparison.before.id,
                           comparison.missing == 1 ? "is" : "are");
}

std::string headline(const RunComparison& comparison) {
  if (comparison.things.empty()) {
    return "The runs have no measured item in common.";
  }
  const std::size_t slower = comparison.count(Change::slower) + comparison.count(Change::broken);
  const std::size_t faster = comparison.count(Change::faster);
  if (slower > 0) {
    return fmt::format("{} of {} slower or broken.", slower, comparison.things.size());
  }
  if (comparison.missing > 0) {
    return fmt::format("Run {} did not finish: {} missing.", comparison.after.id,
                       comparison.missing);
  }
  return faster > 0 ? fmt::format("{} of {} faster, none slower.", faster, comparison.things.size())
                    : fmt::format("No significant change in {}.",
                                  counted(comparison.things.size(), "item"));
}

std::string describeClock(const RunComparison& comparison) {
  return comparison.cpuTime ? "CPU time" : "wall time";
}

std::string formatTitle(const RunComparison& comparison) {
  return fmt::format("hone {}: run {} against run {}", comparison.before.command,
                     comparison.before.id, comparison.after.id);
}

DataTable makeComparisonTable(const RunComparison& comparison) {
  DataTable table;
  table.title = "Items measured in both runs";
  table.empty = "The runs have no measured item in common.";
  DataTable::Column what{
      .name = "item", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column choice{
      .name = "choice", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column before{
      .name = "before", .unit = "ns", .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column after{
      .name = "after", .unit = "ns", .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column ratio{
      .name = "speedup", .unit = "x", .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column low{.name = "low", .unit = "x", .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column high{
      .name = "high", .unit = "x", .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column verdict{
      .name = "verdict", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  for (const ComparedItem& item : comparison.things) {
    const bool both = item.afterNs > 0;
    what.texts.push_back(item.label);
    choice.texts.push_back(choicesText(item));
    before.numbers.push_back(item.beforeNs);
    after.numbers.push_back(both ? item.afterNs : kNone);
    ratio.numbers.push_back(both ? item.comparison.speedup.estimate : kNone);
    low.numbers.push_back(both ? item.comparison.speedup.low : kNone);
    high.numbers.push_back(both ? item.comparison.speedup.high : kNone);
    verdict.texts.push_back(item.message.empty()
                                ? std::string(describeChange(item.change))
                                : fmt::format("{}: {}", describeChange(item.change), item.message));
  }
  table.columns = {std::move(what),    std::move(ratio),  std::move(low),   std::move(high),
                   std::move(verdict), std::move(before), std::move(after), std::move(choice)};
  return table;
}

/// Returns bars of the largest changes, worst first.
Bars makeBars(const RunComparison& comparison) {
  constexpr std::size_t kShown = 30;
  Bars bars;
  bars.title = "Speedup of the second run over the first";
  bars.note = fmt::format(
      "At most the {} worst items. Above 1 is faster. Whiskers are confidence intervals that hold "
      "jointly with 95 %.",
      kShown);
  bars.value.label = "speedup";
  bars.value.unit = "x";
  bars.base = 1;
  bars.rules = {1};
  Bars::Group group{.name = "speedup", .values = {}, .low = {}, .high = {}, .role = Role::plain};
  for (const ComparedItem& item : comparison.things) {
    if (item.afterNs > 0 && bars.names.size() < kShown) {
      bars.names.push_back(itemLabel(item));
      group.values.push_back(item.comparison.speedup.estimate);
      group.low.push_back(item.comparison.speedup.low);
      group.high.push_back(item.comparison.speedup.high);
    }
  }
  bars.groups = {std::move(group)};
  return bars;
}

DataTable onlyTable(std::int64_t run, const std::vector<std::string>& labels) {
  DataTable table;
  table.title = fmt::format("Only in run {}", run);
  table.folded = true;
  table.columns = {
      {.name = "item", .unit = {}, .numbers = {}, .texts = labels, .leadsTo = nullptr}};
  return table;
}

json toJson(const ComparedItem& item) {
  json entry = {{"what", item.label},
                {"change", nameOf(item.change)},
                {"before_ns", item.beforeNs},
                {"same_binary", item.sameBinary}};
  if (!item.choiceBefore.empty() || !item.choiceAfter.empty()) {
    entry["choice_before"] = item.choiceBefore;
    entry["choice_after"] = item.choiceAfter;
  }
  if (!item.message.empty()) {
    entry["message"] = item.message;
  }
  if (item.afterNs > 0) {
    const stats::Interval& speedup = item.comparison.speedup;
    entry["after_ns"] = item.afterNs;
    entry["speedup"] = {
        {"low", speedup.low}, {"estimate", speedup.estimate}, {"high", speedup.high}};
    entry["rounds"] = item.comparison.rounds;
  }
  return entry;
}

}  // namespace

std::string compareText(const RunComparison& comparison, std::size_t width, std::size_t limit) {
  std::string text = fmt::format("{}, by {}\n", formatTitle(comparison), describeClock(comparison));
  if (!comparison.sameMachine) {
    text += "warning: different machine or device, so times are not directly comparable\n";
  }
  for (const std::string& difference : comparison.differences) {
    text += fmt::format("  {}\n", difference);
  }
  if (!comparison.things.empty()) {
    Table table({{"", Align::left, 16},
                 {"before", Align::right},
                 {"after", Align::right},
                 {"speedup", Align::right},
                 {"interval", Align::right},
                 {"", Align::left}});
    const std::size_t shown =
        limit == 0 ? comparison.things.size() : std::min(limit, comparison.things.size());
    std::size_t verdictWidth = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      verdictWidth = std::max(verdictWidth, describeChange(comparison.things[i].change).size());
    }
    for (std::size_t i = 0; i < shown; ++i) {
      const ComparedItem& item = comparison.things[i];
      table.add({shortenedInside(itemLabel(item), labelWidth(width, verdictWidth)),
                 formatTime(item.beforeNs), formatTime(item.afterNs), formatRatio(item),
                 formatInterval(item), std::string(describeChange(item.change))});
    }
    text += fmt::format("\n{}", table.text(width));
    if (shown < comparison.things.size()) {
      text += fmt::format("... and {} more, none of them worse (use --limit 0 to show all)\n",
                          comparison.things.size() - shown);
    }
  }
  text += fmt::format("\n{}; differences below {:.3g} % are ignored\n", countsText(comparison),
                      100 * comparison.margin);
  text += comparison.things.empty() ? "" : "all confidence intervals hold jointly with 95 %\n";
  for (const ComparedItem& item : comparison.things) {
    if (!item.message.empty()) {
      text += fmt::format("broken: {}: {}\n", item.label, item.message);
    }
  }
  for (const std::string& line : {missingText(comparison), floorText(comparison)}) {
    text += line.empty() ? "" : fmt::format("{}\n", line);
  }
  return text + onlyText(comparison.before.id, comparison.onlyBefore) +
         onlyText(comparison.after.id, comparison.onlyAfter);
}

json compareJson(const RunComparison& comparison) {
  json document = {{"before", store::toJson(comparison.before)},
                   {"after", store::toJson(comparison.after)},
                   {"clock", comparison.cpuTime ? "cpu" : "wall"},
                   {"margin", comparison.margin},
                   {"same_machine", comparison.sameMachine},
                   {"differences", comparison.differences},
                   {"noise_floor", comparison.floor},
                   {"equal_binaries", comparison.equalBinaries},
                   {"things", json::array()},
                   {"only_before", comparison.onlyBefore},
                   {"only_after", comparison.onlyAfter},
                   {"missing", comparison.missing}};
  document["confidence"] = comparison.confidence;
  for (const char* run : {"before", "after"}) {  // keeps what identifies a run
    document[run].erase("details");
    document[run].erase("summary");
  }
  for (const Change change : kWorstFirst) {
    document["counts"][std::string(nameOf(change))] = comparison.count(change);
  }
  for (const ComparedItem& item : comparison.things) {
    document["things"].push_back(toJson(item));
  }
  return document;
}

Document compareDocument(const RunComparison& comparison) {
  Document document;
  document.title = formatTitle(comparison);
  document.answer.headline = headline(comparison);
  document.answer.tone = comparison.gotWorse()                  ? Answer::Tone::bad
                         : comparison.count(Change::faster) > 0 ? Answer::Tone::good
                                                                : Answer::Tone::plain;
  document.answer.lines = {countsText(comparison)};
  if (!comparison.sameMachine) {
    document.answer.lines.emplace_back(
        "Different machine or device: times are not directly comparable.");
  }
  for (const std::string& line : {missingText(comparison), floorText(comparison)}) {
    if (!line.empty()) {
      document.answer.lines.push_back(line);
    }
  }
  const auto formatCommand = [](const store::Run& run) {
    return fmt::format("{}: hone {}", run.startedAt, store::commandLine(run.arguments));
  };
  document.facts = {
      {fmt::format("run {}", comparison.before.id), formatCommand(comparison.before)},
      {fmt::format("run {}", comparison.after.id), formatCommand(comparison.after)},
      {"ranked by", describeClock(comparison)},
      {"margin", fmt::format("{:.3g} %", 100 * comparison.margin)},
      {"differences",
       comparison.differences.empty() ? "none recorded" : join(comparison.differences, "; ")}};
  if (!comparison.things.empty()) {
    document.add(makeBars(comparison));
  }
  document.add(makeComparisonTable(comparison));
  if (!comparison.onlyBefore.empty()) {
    document.add(onlyTable(comparison.before.id, comparison.onlyBefore));
  }
  if (!comparison.onlyAfter.empty()) {
    document.add(onlyTable(comparison.after.id, comparison.onlyAfter));
  }
  return document;
}

}  // namespace hone::report
