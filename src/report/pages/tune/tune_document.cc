#include "report/pages/tune/tune_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text/text.h"
#include "model/result/summary/tune_result.h"
#include "report/pages/tune/tune_knobs.h"
#include "report/pages/tune/tune_searches.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::TunedDispatch;
using model::TunedProgram;
using model::TunedVariant;
using model::TuneResult;

/// So many parts of a bar can be told apart; the rest is one part.
constexpr std::size_t kMostParts = 11;

void answerProgram(const TunedProgram& program, Answer& answer) {
  const std::string& name = program.program;
  if (!program.proof) {
    answer.lines.push_back(
        fmt::format("{}: nothing makes it surely faster; the compiler's own choice stays.", name));
    return;
  }
  const model::TunedProof& proof = *program.proof;
  const std::string headline =
      fmt::format("{} is {}: {} → {}.", name, asFast(proof.speedup->estimate),
                  timeText(orNone(program.defaultNs)), timeText(orNone(proof.tunedNs)));
  std::string sure =
      fmt::format("{}; {}; results equal.", speedupText(*proof.speedup), sureness(proof.verdict));
  if (!proof.flags.empty()) {
    sure += fmt::format(" With {}.", join(proof.flags, " "));
  }
  if (answer.headline.empty()) {
    answer.headline = headline;
    answer.tone = Answer::Tone::good;
  } else {
    answer.lines.push_back(headline);
  }
  answer.lines.push_back(std::move(sure));
}

void answerTune(const std::vector<TunedProgram>& programs, Answer& answer) {
  std::vector<const TunedProgram*> order;
  for (const TunedProgram& program : programs) {
    order.push_back(&program);
  }
  std::stable_sort(order.begin(), order.end(), [](const TunedProgram* a, const TunedProgram* b) {
    return a->proof && !b->proof;
  });
  for (const TunedProgram* program : order) {
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
std::map<std::string, double> timesOf(const std::vector<model::TimedDispatch>& dispatches) {
  std::map<std::string, double> times;
  for (const model::TimedDispatch& one : dispatches) {
    times[shortDispatch(one.name)] += orNone(one.timeNs);
  }
  return times;
}

/// Of runs that did not measure it: each dispatch's share, after it divided by its own gain.
std::pair<std::map<std::string, double>, std::map<std::string, double>> estimated(
    const TunedProgram& program) {
  std::pair<std::map<std::string, double>, std::map<std::string, double>> times;
  if (program.variants.empty()) {
    return times;
  }
  for (const TunedDispatch& dispatch : program.variants.back().dispatches) {
    const std::string name = shortDispatch(dispatch.name);
    const bool used = dispatch.inSpec == true && dispatch.winner && dispatch.winner->speedup;
    const double gain = used ? dispatch.winner->speedup->estimate : 1;
    const double before = orNone(dispatch.share) * orNone(program.defaultNs);
    times.first[name] += before;
    times.second[name] += before / gain;
  }
  return times;
}

void addShares(const TunedProgram& program, Document& document) {
  const auto measured = program.proof ? program.proof->dispatchTimes : std::nullopt;
  auto [before, after] = measured ? std::pair(timesOf(measured->before), timesOf(measured->after))
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
  bars.title = fmt::format("Where the time of {} goes", program.program);
  bars.note = measured
                  ? "Dispatch by dispatch, as the runtime's profiler times them in one call, with "
                    "the share of the whole."
                  : "After is a guess: each dispatch's time before, divided by its own gain.";
  bars.value = {"time in one call", "ns"};
  bars.names = {"before", "after"};
  if (!program.proof) {
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

std::string fateOf(const TunedDispatch& dispatch) {
  if (!dispatch.whyNot.empty()) {
    return fmt::format("not tuned: {}", dispatch.whyNot);
  }
  if (dispatch.inSpec == true) {
    return "in the spec";
  }
  if (!dispatch.winner || !dispatch.winner->speedup) {
    return "the compiler's own choice stays";
  }
  return dispatch.note.empty() ? "faster alone" : dispatch.note;
}

void addRow(const TunedVariant& variant, const TunedDispatch& dispatch, DataTable& table) {
  const auto number = [](const std::optional<std::int64_t>& count) {
    return count ? static_cast<double>(*count) : kNone;
  };
  const auto gain = (dispatch.winner ? dispatch.winner->speedup : std::nullopt)
                        .value_or(stats::Interval{kNone, kNone, kNone});
  table.columns[0].texts.push_back(shortDispatch(dispatch.name));
  table.columns[1].texts.push_back(variant.name);
  table.columns[2].numbers.push_back(100 * orNone(dispatch.share));
  table.columns[3].numbers.push_back(number(dispatch.space));
  table.columns[4].numbers.push_back(number(dispatch.tried));
  table.columns[5].numbers.push_back(number(dispatch.failed));
  table.columns[6].numbers.push_back(orNone(dispatch.defaultNs));
  table.columns[7].numbers.push_back(gain.estimate);
  table.columns[8].numbers.push_back(gain.low);
  table.columns[9].numbers.push_back(gain.high);
  table.columns[10].texts.push_back(fateOf(dispatch));
}

void addDispatches(const TunedProgram& program, Document& document) {
  DataTable table;
  table.title = fmt::format("Dispatches of {}", program.program);
  table.columns = {{"dispatch"}, {"under flags"}, {"share", "%"},       {"space"},
                   {"tried"},    {"failed"},      {"default", "ns"},    {"speedup", "x"},
                   {"low", "x"}, {"high", "x"},   {"what became of it"}};
  for (const TunedVariant& variant : program.variants) {
    for (const TunedDispatch& dispatch : variant.dispatches) {
      addRow(variant, dispatch, table);
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
      if (trial.details.scope == before + scope) {
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

void addSpec(const TunedProgram& program, Document& document) {
  if (program.proof && !program.proof->spec.empty()) {
    document.add(TextBlock{.title = fmt::format("The tuning spec of {}", program.program),
                           .text = program.proof->spec,
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

Result<void> describeTune(const RunRecord& record, Document& document) {
  const TuneResult result = HONE_TRY(model::tuneResultFrom(record.summary()));
  const std::vector<TunedProgram>& programs = result.programs;
  const auto searches = searchesOf(record, result);
  if (record.finished()) {
    answerTune(programs, document.answer);
  } else {
    answerSoFar(searches, document.answer);
  }
  for (const TunedProgram& program : programs) {
    addShares(program, document);
  }
  if (programs.empty()) {
    addProof(record, "", kNone, document);
  }
  for (const TunedProgram& program : programs) {
    const std::string before =
        programs.size() > 1 ? fmt::format("{}: ", program.program) : std::string();
    addProof(record, before, program.proof ? orNone(program.proof->tunedNs) : kNone, document);
  }
  addProgress(record, searches, document);
  for (const TunedProgram& program : programs) {
    addDispatches(program, document);
    addSpec(program, document);
  }
  addKnobs(searches, document);
  return {};
}

}  // namespace hone::report
