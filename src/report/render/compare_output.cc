#include "report/render/compare_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text/text.h"
#include "report/render/table.h"
#include "store/export.h"

namespace hone::report {
namespace {

using nlohmann::json;

constexpr std::array kWorstFirst = {Change::broken, Change::slower, Change::unsure, Change::same,
                                    Change::faster};

/// "tiles 8x8 -> tiles 4x4", or the one where both are alike.
std::string choicesText(const ComparedItem& thing) {
  return thing.choiceBefore == thing.choiceAfter
             ? thing.choiceBefore
             : fmt::format("{} -> {}", thing.choiceBefore, thing.choiceAfter);
}

std::string labelOf(const ComparedItem& thing) {
  const std::string choices = choicesText(thing);
  return choices.empty() ? thing.label : fmt::format("{} ({})", thing.label, choices);
}

std::string ratioOf(const ComparedItem& thing) {
  return thing.afterNs > 0 ? fmt::format("{:.3f}x", thing.comparison.speedup.estimate) : "";
}

std::string intervalOf(const ComparedItem& thing) {
  const stats::Interval& speedup = thing.comparison.speedup;
  return thing.afterNs > 0 ? fmt::format("{:.3f} - {:.3f}", speedup.low, speedup.high) : "";
}

std::string timeOf(double nanoseconds) { return nanoseconds > 0 ? humanTime(nanoseconds) : "-"; }

/// What the other columns leave of a line; where they need more, the table itself cuts.
std::size_t labelWidthIn(std::size_t width) {
  constexpr std::size_t kOthers = 50;
  constexpr std::size_t kLeast = 16;
  if (width == 0) {
    return std::numeric_limits<std::size_t>::max();
  }
  return width > kOthers + kLeast ? width - kOthers : kLeast;
}

/// "2 slower, 1 unsure, 5 same", the worst first.
std::string countsText(const RunComparison& comparison) {
  std::vector<std::string> parts;
  for (const Change change : kWorstFirst) {
    if (const std::size_t count = comparison.count(change); count > 0) {
      parts.push_back(fmt::format("{} {}", count, nameOf(change)));
    }
  }
  return parts.empty() ? "nothing that both runs measured" : join(parts, ", ");
}

std::string floorText(const RunComparison& comparison) {
  return comparison.equalBinaries == 0
             ? ""
             : fmt::format("noise: {} equal binar{} differ{} by up to {:.1f} % between the runs",
                           comparison.equalBinaries, comparison.equalBinaries == 1 ? "y" : "ies",
                           comparison.equalBinaries == 1 ? "s" : "", 100 * comparison.floor);
}

/// "only in run 3: a, b and 7 more".
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

/// "run 4 is failed, not finished: 2 that run 3 timed are missing".
std::string missingText(const RunComparison& comparison) {
  return comparison.missing == 0
             ? ""
             : fmt::format("run {} is {}, not finished: {} that run {} timed {} missing",
                           comparison.after.id, nameOf(comparison.after.status), comparison.missing,
                           comparison.before.id, comparison.missing == 1 ? "is" : "are");
}

std::string headline(const RunComparison& comparison) {
  if (comparison.things.empty()) {
    return "The two runs measured nothing in common.";
  }
  const std::size_t slower = comparison.count(Change::slower) + comparison.count(Change::broken);
  const std::size_t faster = comparison.count(Change::faster);
  if (slower > 0) {
    return fmt::format("{} of {} got slower or broke.", slower, comparison.things.size());
  }
  if (comparison.missing > 0) {
    return fmt::format("Run {} did not finish: {} missing.", comparison.after.id,
                       comparison.missing);
  }
  return faster > 0
             ? fmt::format("{} of {} got faster, nothing slower.", faster, comparison.things.size())
             : fmt::format("Nothing of {} surely changed.", comparison.things.size());
}

std::string clockOf(const RunComparison& comparison) {
  return comparison.cpuTime ? "CPU time" : "wall time";
}

std::string titleOf(const RunComparison& comparison) {
  return fmt::format("hone {}: run {} against run {}", comparison.before.verb, comparison.before.id,
                     comparison.after.id);
}

DataTable tableOf(const RunComparison& comparison) {
  DataTable table;
  table.title = "All that both measured";
  table.empty = "The two runs measured nothing in common.";
  DataTable::Column what{
      .name = "what", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
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
  for (const ComparedItem& thing : comparison.things) {
    const bool both = thing.afterNs > 0;
    what.texts.push_back(thing.label);
    choice.texts.push_back(choicesText(thing));
    before.numbers.push_back(thing.beforeNs);
    after.numbers.push_back(both ? thing.afterNs : kNone);
    ratio.numbers.push_back(both ? thing.comparison.speedup.estimate : kNone);
    low.numbers.push_back(both ? thing.comparison.speedup.low : kNone);
    high.numbers.push_back(both ? thing.comparison.speedup.high : kNone);
    verdict.texts.push_back(thing.message.empty()
                                ? std::string(nameOf(thing.change))
                                : fmt::format("{}: {}", nameOf(thing.change), thing.message));
  }
  table.columns = {std::move(what),  std::move(choice), std::move(before), std::move(after),
                   std::move(ratio), std::move(low),    std::move(high),   std::move(verdict)};
  return table;
}

/// The biggest changes as bars over what they came from.
Bars barsOf(const RunComparison& comparison) {
  constexpr std::size_t kShown = 30;
  Bars bars;
  bars.title = "Speedup of the second run over the first";
  bars.note = fmt::format(
      "The worst {} at most; the lines are intervals that hold together with 95 %. Above 1 is "
      "faster.",
      kShown);
  bars.value.label = "speedup";
  bars.value.unit = "x";
  bars.base = 1;
  bars.rules = {1};
  Bars::Group group{.name = "speedup", .values = {}, .low = {}, .high = {}, .role = Role::plain};
  for (const ComparedItem& thing : comparison.things) {
    if (thing.afterNs > 0 && bars.names.size() < kShown) {
      bars.names.push_back(labelOf(thing));
      group.values.push_back(thing.comparison.speedup.estimate);
      group.low.push_back(thing.comparison.speedup.low);
      group.high.push_back(thing.comparison.speedup.high);
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
      {.name = "what", .unit = {}, .numbers = {}, .texts = labels, .leadsTo = nullptr}};
  return table;
}

json toJson(const ComparedItem& thing) {
  json entry = {{"what", thing.label},
                {"change", nameOf(thing.change)},
                {"before_ns", thing.beforeNs},
                {"same_binary", thing.sameBinary}};
  if (!thing.choiceBefore.empty() || !thing.choiceAfter.empty()) {
    entry["choice_before"] = thing.choiceBefore;
    entry["choice_after"] = thing.choiceAfter;
  }
  if (!thing.message.empty()) {
    entry["message"] = thing.message;
  }
  if (thing.afterNs > 0) {
    const stats::Interval& speedup = thing.comparison.speedup;
    entry["after_ns"] = thing.afterNs;
    entry["speedup"] = {
        {"low", speedup.low}, {"estimate", speedup.estimate}, {"high", speedup.high}};
    entry["rounds"] = thing.comparison.rounds;
  }
  return entry;
}

}  // namespace

std::string compareText(const RunComparison& comparison, std::size_t width, std::size_t limit) {
  std::string text = fmt::format("{}, by {}\n", titleOf(comparison), clockOf(comparison));
  if (!comparison.sameMachine) {
    text += "not the same machine or device: this is not about the programs alone\n";
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
    const std::size_t labelWidth = labelWidthIn(width);
    const std::size_t shown =
        limit == 0 ? comparison.things.size() : std::min(limit, comparison.things.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const ComparedItem& thing = comparison.things[i];
      table.add({shortenedInside(labelOf(thing), labelWidth), timeOf(thing.beforeNs),
                 timeOf(thing.afterNs), ratioOf(thing), intervalOf(thing),
                 std::string(nameOf(thing.change))});
    }
    text += fmt::format("\n{}", table.text(width));
    if (shown < comparison.things.size()) {
      text += fmt::format("... and {} more, none of them worse (--limit 0 shows all)\n",
                          comparison.things.size() - shown);
    }
  }
  text += fmt::format("\n{}; differences below {:.3g} % do not count\n", countsText(comparison),
                      100 * comparison.margin);
  text += comparison.things.empty() ? "" : "all intervals hold together with 95 %\n";
  for (const ComparedItem& thing : comparison.things) {
    if (!thing.message.empty()) {
      text += fmt::format("broken: {}: {}\n", thing.label, thing.message);
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
  for (const char* run : {"before", "after"}) {  // only what names a run: the rest is the store's
    document[run].erase("details");
    document[run].erase("summary");
  }
  for (const Change change : kWorstFirst) {
    document["counts"][std::string(nameOf(change))] = comparison.count(change);
  }
  for (const ComparedItem& thing : comparison.things) {
    document["things"].push_back(toJson(thing));
  }
  return document;
}

Document compareDocument(const RunComparison& comparison) {
  Document document;
  document.title = titleOf(comparison);
  document.answer.headline = headline(comparison);
  document.answer.tone = comparison.gotWorse()                  ? Answer::Tone::bad
                         : comparison.count(Change::faster) > 0 ? Answer::Tone::good
                                                                : Answer::Tone::plain;
  document.answer.lines = {countsText(comparison)};
  if (!comparison.sameMachine) {
    document.answer.lines.emplace_back(
        "Not the same machine or device: this is not about the programs alone.");
  }
  for (const std::string& line : {missingText(comparison), floorText(comparison)}) {
    if (!line.empty()) {
      document.answer.lines.push_back(line);
    }
  }
  const auto commandOf = [](const store::Run& run) {
    return fmt::format("{}: hone {}", run.startedAt, store::commandLine(run.arguments));
  };
  document.facts = {
      {fmt::format("run {}", comparison.before.id), commandOf(comparison.before)},
      {fmt::format("run {}", comparison.after.id), commandOf(comparison.after)},
      {"ranked by", clockOf(comparison)},
      {"margin", fmt::format("{:.3g} %", 100 * comparison.margin)},
      {"what differs", comparison.differences.empty() ? "nothing that the runs recorded"
                                                      : join(comparison.differences, "; ")}};
  if (!comparison.things.empty()) {
    document.add(barsOf(comparison));
  }
  document.add(tableOf(comparison));
  if (!comparison.onlyBefore.empty()) {
    document.add(onlyTable(comparison.before.id, comparison.onlyBefore));
  }
  if (!comparison.onlyAfter.empty()) {
    document.add(onlyTable(comparison.after.id, comparison.onlyAfter));
  }
  return document;
}

}  // namespace hone::report
