#include "report/pages/kernel/kernel_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.h"
#include "base/text/unified_diff.h"
#include "report/render/answer_text.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

using model::KernelTurn;

/// A judged source.
struct Candidate {
  const store::Trial* trial = nullptr;
  std::string source;  ///< its key
  double turn = 0;
  double speedup = kNone;  ///< over the original; from the race if it took part
};

/// Trials of one kernel: the candidates, original first, and the references measured with them.
struct KernelHistory {
  std::vector<Candidate> candidates;
  std::vector<const store::Trial*> companions;
  std::string winner;  ///< key of its source; empty if the original is kept
};

double screenNs(const RunRecord& record, const store::Trial& trial) {
  std::vector<double> ns;
  for (const auto& [round, time] : record.times.rounds(trial.id, model::Stage::screen)) {
    ns.push_back(time);
  }
  return ns.empty() ? kNone : stats::median(ns);
}

KernelHistory collectHistory(const RunRecord& record, const std::string& kernel,
                             const std::vector<KernelTurn>& turns) {
  const std::string prefix = kernel.empty() ? "" : fmt::format("{}: ", kernel);
  std::map<std::string, double> raced;
  KernelHistory history;
  for (const KernelTurn& turn : turns) {
    for (const auto& [key, speedup] : turn.speedups) {
      raced[key] = orNone(speedup);
    }
    history.winner = turn.decided ? turn.best : history.winner;
  }
  double originalNs = kNone;
  for (const store::Trial& trial : record.trials) {
    if (!trial.key.starts_with(prefix)) {
      continue;
    }
    if (!trial.details.kernel) {
      history.companions.push_back(&trial);
      continue;
    }
    const double ns = screenNs(record, trial);
    originalNs = history.candidates.empty() ? ns : originalNs;
    const std::string key = trial.key.substr(prefix.size());
    const auto race = raced.find(key);
    const auto turn = trial.details.turn;
    history.candidates.push_back({&trial, key, turn ? static_cast<double>(*turn) : kNone,
                                  race == raced.end() ? originalNs / ns : race->second});
  }
  return history;
}

void addTurnPlot(const KernelHistory& history, const std::vector<KernelTurn>& turns, Parts& parts) {
  Plot plot;
  plot.title = "Speedup per turn";
  plot.x = {"turn"};
  plot.y = {"speedup over the original", "x", true};
  plot.rules = {{Rule::Coordinate::y, 1, "original"}};
  Series each{.name = "candidates"};
  Series won{.name = "winner", .role = Role::winner};
  std::size_t failures = 0;
  for (const Candidate& one : history.candidates) {
    failures += failed(*one.trial) ? 1 : 0;
    Series& series = one.source == history.winner ? won : each;
    if (!std::isnan(one.speedup)) {
      series.x.push_back(one.turn);
      series.y.push_back(one.speedup);
      series.labels.push_back(makeLabel(*one.trial));
    }
  }
  Series best{.name = "best, measured again each turn", .x = {0}, .y = {1}, .draw = Draw::steps};
  plot.x.ticks = {0};
  for (const KernelTurn& turn : turns) {
    plot.x.ticks.push_back(static_cast<double>(turn.turn));
    if (turn.decided) {
      best.x.push_back(static_cast<double>(turn.turn));
      best.y.push_back(orNone(turn.bestSpeedup));
    }
  }
  plot.note = counted(history.candidates.empty() ? 0 : history.candidates.size() - 1, "candidate");
  plot.note += failures == 0 ? "; none failed."
                             : fmt::format("; {} failed and {} no time: see the table.", failures,
                                           failures == 1 ? "has" : "have");
  plot.series = {std::move(best), std::move(each), std::move(won)};
  std::erase_if(plot.series, [](const Series& series) { return series.x.empty(); });
  parts.add(plot);
}

void addConfirmation(const RunRecord& record, const KernelHistory& history, Parts& parts) {
  std::vector<RunRecord::Runner> runners;
  for (const Candidate& one : history.candidates) {
    const bool original = &one == &history.candidates.front();
    runners.push_back({one.trial, makeLabel(*one.trial),
                       original                       ? Role::baseline
                       : one.source == history.winner ? Role::winner
                                                      : Role::plain});
  }
  for (const store::Trial* companion : history.companions) {
    const std::string name = makeLabel(*companion);
    runners.push_back({companion, name, name.ends_with("again") ? Role::faint : Role::plain});
  }
  Plot plot = record.roundsPlot("Winner and original: time per round", runners);
  plot.y.log = true;
  if (!plot.series.empty()) {
    parts.add(plot);
  }
}

void addCandidates(const KernelHistory& history, Parts& parts) {
  DataTable table;
  table.title = "Candidates";
  table.columns = {{"turn"},    {"candidate"},  {"speedup", "x"},
                   {"outcome"}, {"techniques"}, {"message"}};
  for (const Candidate& one : history.candidates) {
    table.columns[0].numbers.push_back(one.turn);
    table.columns[1].texts.push_back(
        fmt::format("{}{}", makeLabel(*one.trial), one.source == history.winner ? " ★" : ""));
    table.columns[2].numbers.push_back(one.speedup);
    table.columns[3].texts.emplace_back(nameOf(one.trial->outcome));
    table.columns[4].texts.push_back(join(one.trial->details.kernel->techniques, ", "));
    table.columns[5].texts.push_back(one.trial->message);
  }
  parts.add(table);
}

/// Adds the analysis of the best kernel before each turn.
void addAnalysis(const std::vector<KernelTurn>& turns, Parts& parts) {
  Tabs tabs;
  tabs.title = "Analysis";
  for (const KernelTurn& turn : turns) {
    if (!turn.analysis) {
      continue;
    }
    const model::KernelAnalysis& analysis = *turn.analysis;
    DataTable table;
    table.note =
        fmt::format("{}; {:.1f} % of the roofline ({}).", analysis.category,
                    100 * orNone(analysis.rooflineShare), timeText(orNone(analysis.rooflineNs)));
    table.empty = "No findings.";
    table.columns = {{"weight", "%"}, {"side"}, {"finding"}, {"evidence"}, {"technique"}};
    for (const model::KernelFinding& finding : analysis.findings) {
      table.columns[0].numbers.push_back(100 * orNone(finding.weight));
      table.columns[1].texts.push_back(finding.side);
      table.columns[2].texts.push_back(finding.what);
      table.columns[3].texts.push_back(finding.evidence);
      table.columns[4].texts.push_back(finding.technique);
    }
    Parts tab;
    tab.add(table);
    tabs.tabs.emplace_back(fmt::format("before turn {}", turn.turn), std::move(tab));
  }
  if (!tabs.tabs.empty()) {
    parts.add(tabs);
  }
}

void addDiff(const KernelHistory& history, Parts& parts) {
  const auto winner =
      std::find_if(history.candidates.begin(), history.candidates.end(),
                   [&](const Candidate& one) { return one.source == history.winner; });
  if (winner == history.candidates.end() || winner == history.candidates.begin()) {
    return;
  }
  const model::KernelProposal& won = *winner->trial->details.kernel;
  const std::string diff =
      unifiedDiff(history.candidates.front().trial->details.kernel->source, won.source, won.name);
  const std::string flags = join(winner->trial->config.flags, " ");
  parts.add(TextBlock{
      .title = "Changes of the winner",
      .text = diff.empty() ? fmt::format("Same source, different flags: {}", flags) : diff,
      .form = diff.empty() ? TextBlock::Form::words : TextBlock::Form::diff,
      .folded = false});
}

/// Formats the exchanges with a language model.
std::string conversationText(const std::vector<model::ModelExchange>& exchanges) {
  std::string text;
  for (const model::ModelExchange& one : exchanges) {
    text += fmt::format("── turn {}, {}, {} tokens in, {} out\n\n{}\n\n── {}\n\n{}\n\n", one.turn,
                        one.at, one.tokensIn, one.tokensOut, one.prompt,
                        one.failure.empty() ? "answer" : "no answer",
                        one.failure.empty() ? one.answer : one.failure);
  }
  return text;
}

void addConversation(const std::vector<KernelTurn>& turns, Parts& parts) {
  const std::string text =
      turns.empty() ? "" : conversationText(model::exchangesIn(turns.back().memory));
  if (!text.empty()) {
    parts.add(TextBlock{.title = "Conversation with the model",
                        .text = text,
                        .form = TextBlock::Form::words,
                        .folded = true});
  }
}

}  // namespace

void addTurns(const RunRecord& record, const std::string& kernel,
              const std::vector<KernelTurn>& turns, Parts& parts) {
  const KernelHistory history = collectHistory(record, kernel, turns);
  addTurnPlot(history, turns, parts);
  addConfirmation(record, history, parts);
  addCandidates(history, parts);
  addAnalysis(turns, parts);
  addDiff(history, parts);
  addConversation(turns, parts);
}

}  // namespace hone::report
