#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"
#include "report/pages/tune_searches.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using nlohmann::json;

/// So many parts of a bar can be told apart; the rest is one part.
constexpr std::size_t kMostParts = 11;

void answerProgram(const json& program, Answer& answer) {
  const std::string name = textIn(program, "program");
  const auto speedup = intervalFrom(memberOf(program, "speedup"));
  if (!speedup) {
    answer.lines.push_back(
        fmt::format("{}: nothing makes it surely faster; the compiler's own choice stays.", name));
    return;
  }
  const std::string headline = fmt::format("{} is {}: {} → {}.", name, asFast(speedup->estimate),
                                           timeText(numberIn(program, "default_ns")),
                                           timeText(numberIn(program, "tuned_ns")));
  std::string sure = fmt::format("{}; {}; results equal.", speedupText(*speedup),
                                 sureness(textIn(program, "verdict")));
  const json& flags = memberOf(program, "flags");
  if (flags.is_array() && !flags.empty()) {
    sure += fmt::format(" With {}.", join(flags.get<std::vector<std::string>>(), " "));
  }
  if (answer.headline.empty()) {
    answer.headline = headline;
    answer.tone = Answer::Tone::good;
  } else {
    answer.lines.push_back(headline);
  }
  answer.lines.push_back(std::move(sure));
}

void answerTune(const json& programs, Answer& answer) {
  std::vector<const json*> order;
  for (const json& program : programs) {
    order.push_back(&program);
  }
  std::stable_sort(order.begin(), order.end(), [](const json* a, const json* b) {
    return a->contains("speedup") && !b->contains("speedup");
  });
  for (const json* program : order) {
    answerProgram(*program, answer);
  }
  if (answer.headline.empty()) {
    answer.headline = "Nothing was surely faster: the compiler's own choice stays.";
    if (programs.size() == 1) {
      answer.lines.clear();  // the one program's line says the same
    }
  }
}

/// Time by dispatch; equal names are put together.
std::map<std::string, double> timesOf(const json& dispatches) {
  std::map<std::string, double> times;
  for (const json& one : dispatches) {
    times[shortDispatch(textIn(one, "name"))] += numberIn(one, "time_ns");
  }
  return times;
}

/// Of runs that did not measure it: each dispatch's share, after it divided by its own gain.
std::pair<std::map<std::string, double>, std::map<std::string, double>> estimated(
    const json& program) {
  std::pair<std::map<std::string, double>, std::map<std::string, double>> times;
  const double all = numberIn(program, "default_ns");
  const json& variants = memberOf(program, "variants");
  const json& plain = variants.is_array() && !variants.empty() ? variants.back() : json();
  for (const json& dispatch : memberOf(plain, "dispatches")) {
    const std::string name = shortDispatch(textIn(dispatch, "name"));
    const auto gain = intervalFrom(memberOf(memberOf(dispatch, "winner"), "speedup"));
    const bool used = memberOf(dispatch, "in_spec") == true && gain;
    const double before = numberIn(dispatch, "share") * all;
    times.first[name] += before;
    times.second[name] += before / (used ? gain->estimate : 1);
  }
  return times;
}

void addShares(const json& program, Document& document) {
  const json& measured = memberOf(program, "dispatch_times");
  auto [before, after] = measured.is_object() ? std::pair(timesOf(memberOf(measured, "before")),
                                                          timesOf(memberOf(measured, "after")))
                                              : estimated(program);
  if (before.empty()) {
    return;
  }
  std::map<std::string, double> weight = before;
  for (const auto& [name, ns] : after) {
    weight[name] += ns;
  }
  std::vector<std::string> names;
  for (const auto& [name, ns] : weight) {
    names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return weight[a] > weight[b]; });
  Bars bars;
  bars.title = fmt::format("Where the time of {} goes", textIn(program, "program"));
  bars.note = measured.is_object()
                  ? "Dispatch by dispatch, as the runtime's profiler times them in one call, with "
                    "the share of the whole."
                  : "After is a guess: each dispatch's time before, divided by its own gain.";
  bars.value = {"time in one call", "ns"};
  bars.names = {"before", "after"};
  if (!program.contains("speedup")) {
    bars.note = "Dispatch by dispatch, with the share of the whole.";
    bars.names = {"in one call"};
  }
  bars.stacked = true;
  Bars::Group rest{.name = "all others", .values = {0, 0}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i < kMostParts) {
      bars.groups.push_back({.name = names[i], .values = {before[names[i]], after[names[i]]}});
    } else {
      rest.values[0] += before[names[i]];
      rest.values[1] += after[names[i]];
    }
  }
  if (names.size() > kMostParts) {
    bars.groups.push_back(std::move(rest));
  }
  for (Bars::Group& group : bars.groups) {
    group.values.resize(bars.names.size());
  }
  document.add(bars);
}

void addDispatches(const json& program, Document& document) {
  DataTable table;
  table.title = fmt::format("Dispatches of {}", textIn(program, "program"));
  table.columns = {{"dispatch"}, {"under flags"}, {"share", "%"},       {"space"},
                   {"tried"},    {"failed"},      {"default", "ns"},    {"speedup", "x"},
                   {"low", "x"}, {"high", "x"},   {"what became of it"}};
  for (const json& variant : memberOf(program, "variants")) {
    for (const json& dispatch : memberOf(variant, "dispatches")) {
      const auto gain = intervalFrom(memberOf(memberOf(dispatch, "winner"), "speedup"))
                            .value_or(stats::Interval{kNone, kNone, kNone});
      const std::string whyNot = textIn(dispatch, "why_not");
      const std::string note = textIn(dispatch, "note");
      const double defaultNs = numberIn(dispatch, "default_ns");
      std::string fate = std::isnan(gain.estimate) ? "the compiler's own choice stays"
                         : note.empty()            ? "faster alone"
                                                   : note;
      fate = memberOf(dispatch, "in_spec") == true ? "in the spec" : fate;
      fate = whyNot.empty() ? fate : fmt::format("not tuned: {}", whyNot);
      table.columns[0].texts.push_back(shortDispatch(textIn(dispatch, "name")));
      table.columns[1].texts.push_back(textIn(variant, "name"));
      table.columns[2].numbers.push_back(100 * numberIn(dispatch, "share"));
      table.columns[3].numbers.push_back(numberIn(dispatch, "space"));
      table.columns[4].numbers.push_back(numberIn(dispatch, "tried"));
      table.columns[5].numbers.push_back(numberIn(dispatch, "failed"));
      table.columns[6].numbers.push_back(defaultNs > 0 ? defaultNs : kNone);
      table.columns[7].numbers.push_back(gain.estimate);
      table.columns[8].numbers.push_back(gain.low);
      table.columns[9].numbers.push_back(gain.high);
      table.columns[10].texts.push_back(std::move(fate));
    }
  }
  const auto& flags = table.columns[1].texts;
  if (std::ranges::all_of(flags, [](const std::string& name) { return name.empty(); })) {
    table.columns.erase(table.columns.begin() + 1);
  }
  document.add(table);
}

/// The one whose rounds gave the time that the run reports; nobody where it reports none.
void markWinner(const RunRecord& record, double tunedNs, std::vector<RunRecord::Runner>& runners) {
  RunRecord::Runner* winner = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (RunRecord::Runner& runner : runners) {
    if (runner.role != Role::plain) {
      continue;
    }
    const double away = std::abs(record.times.medianNs(runner.trial->id) - tunedNs);
    if (away < least) {
      least = away;
      winner = &runner;
    }
  }
  if (winner != nullptr) {
    winner->role = Role::winner;
    winner->name += " (the winner)";
  }
}

/// The default and the tuned program in the rounds that proved it: of the last proof there is.
void addProof(const RunRecord& record, const std::string& before, double tunedNs,
              Document& document) {
  std::vector<RunRecord::Runner> runners;
  for (const char* scope : {"proof of the rest", "proof of what is left", "proof"}) {
    for (const store::Trial& trial : record.trials) {
      if (textIn(trial.details, "scope") == before + scope) {
        runners.push_back({&trial, labelOf(trial),
                           runners.empty() ? Role::baseline
                           : isTwin(trial) ? Role::faint
                                           : Role::plain});
      }
    }
    if (!runners.empty()) {
      break;
    }
  }
  markWinner(record, tunedNs, runners);
  const Plot plot =
      record.roundsPlot(std::isnan(tunedNs) ? "Against the default, round by round"
                                            : "The winner against the default, round by round",
                        runners);
  if (!plot.series.empty()) {
    document.add(plot);
  }
}

void addSpec(const json& program, Document& document) {
  const std::string spec = textIn(program, "spec");
  if (!spec.empty()) {
    document.add(
        TextBlock{.title = fmt::format("The tuning spec of {}", textIn(program, "program")),
                  .text = spec,
                  .form = TextBlock::Form::code,
                  .folded = true});
  }
}

/// Under way: what the searches have found by now.
void answerSoFar(const std::vector<TuneSearch>& searches, Answer& answer) {
  for (const TuneSearch& search : searches) {
    double best = 1;
    for (const store::Trial* trial : search.trials) {
      const double speedup = search.speedupOf(*trial);
      best = std::isnan(speedup) ? best : std::max(best, speedup);
    }
    answer.lines.push_back(fmt::format("{}: {}, the best so far is {} in screening.",
                                       shortDispatch(search.scope),
                                       counted(search.trials.size(), "candidate"), asFast(best)));
  }
}

}  // namespace

void describeTune(const RunRecord& record, Document& document) {
  const json& kept = memberOf(record.run.summary, "programs");
  const json programs = kept.is_array() ? kept : json::array();
  const auto searches = searchesOf(record);
  if (record.finished()) {
    answerTune(programs, document.answer);
  } else {
    answerSoFar(searches, document.answer);
  }
  for (const json& program : programs) {
    addShares(program, document);
  }
  if (programs.empty()) {
    addProof(record, "", kNone, document);
  }
  for (const json& program : programs) {
    const std::string before =
        programs.size() > 1 ? fmt::format("{}: ", textIn(program, "program")) : "";
    addProof(record, before, numberIn(program, "tuned_ns"), document);
  }
  addProgress(record, searches, document);
  for (const json& program : programs) {
    addDispatches(program, document);
    addSpec(program, document);
  }
  addKnobs(searches, document);
}

}  // namespace hone::report
