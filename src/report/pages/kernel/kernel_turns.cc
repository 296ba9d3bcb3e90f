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

/// A source that was judged.
struct Candidate {
  const store::Trial* trial = nullptr;
  std::string source;  ///< its key
  double turn = 0;
  double speedup = kNone;  ///< over the original; by the race where it was in one
};

/// The trials of one kernel: the candidates, the original first, and those measured beside them.
struct Bout {
  std::vector<Candidate> candidates;
  std::vector<const store::Trial*> companions;
  std::string winner;  ///< the key of its source; "" where the original stays
};

double screenNs(const RunRecord& record, const store::Trial& trial) {
  std::vector<double> ns;
  for (const auto& [round, time] : record.times.rounds(trial.id, model::Stage::screen)) {
    ns.push_back(time);
  }
  return ns.empty() ? kNone : stats::median(ns);
}

Bout boutOf(const RunRecord& record, const std::string& kernel,
            const std::vector<KernelTurn>& turns) {
  const std::string prefix = kernel.empty() ? "" : fmt::format("{}: ", kernel);
  std::map<std::string, double> raced;
  Bout bout;
  for (const KernelTurn& turn : turns) {
    for (const auto& [key, speedup] : turn.speedups) {
      raced[key] = orNone(speedup);
    }
    bout.winner = turn.decided ? turn.best : bout.winner;
  }
  double originalNs = kNone;
  for (const store::Trial& trial : record.trials) {
    if (!trial.key.starts_with(prefix)) {
      continue;
    }
    if (!trial.details.kernel) {
      bout.companions.push_back(&trial);
      continue;
    }
    const double ns = screenNs(record, trial);
    originalNs = bout.candidates.empty() ? ns : originalNs;
    const std::string key = trial.key.substr(prefix.size());
    const auto race = raced.find(key);
    const auto turn = trial.details.turn;
    bout.candidates.push_back({&trial, key, turn ? static_cast<double>(*turn) : kNone,
                               race == raced.end() ? originalNs / ns : race->second});
  }
  return bout;
}

void addStory(const Bout& bout, const std::vector<KernelTurn>& turns, Parts& parts) {
  Plot plot;
  plot.title = "Turn by turn";
  plot.x = {"turn"};
  plot.y = {"speedup over the original", "x", true};
  plot.rules = {{Rule::Of::y, 1, "the original"}};
  Series each{.name = "candidates"};
  Series won{.name = "the winner", .role = Role::winner};
  std::size_t failures = 0;
  for (const Candidate& one : bout.candidates) {
    failures += failed(*one.trial) ? 1 : 0;
    Series& series = one.source == bout.winner ? won : each;
    if (!std::isnan(one.speedup)) {
      series.x.push_back(one.turn);
      series.y.push_back(one.speedup);
      series.labels.push_back(labelOf(*one.trial));
    }
  }
  Series best{.name = "the best, raced anew each turn", .x = {0}, .y = {1}, .draw = Draw::steps};
  plot.x.ticks = {0};
  for (const KernelTurn& turn : turns) {
    plot.x.ticks.push_back(static_cast<double>(turn.turn));
    if (turn.decided) {
      best.x.push_back(static_cast<double>(turn.turn));
      best.y.push_back(orNone(turn.bestSpeedup));
    }
  }
  plot.note = counted(bout.candidates.empty() ? 0 : bout.candidates.size() - 1, "candidate");
  plot.note += failures == 0 ? "; none failed."
                             : fmt::format("; {} failed and {} no time: the table says why.",
                                           failures, failures == 1 ? "has" : "have");
  plot.series = {std::move(best), std::move(each), std::move(won)};
  std::erase_if(plot.series, [](const Series& series) { return series.x.empty(); });
  parts.add(plot);
}

void addConfirmation(const RunRecord& record, const Bout& bout, Parts& parts) {
  std::vector<RunRecord::Runner> runners;
  for (const Candidate& one : bout.candidates) {
    const bool original = &one == &bout.candidates.front();
    runners.push_back({one.trial, labelOf(*one.trial),
                       original                    ? Role::baseline
                       : one.source == bout.winner ? Role::winner
                                                   : Role::plain});
  }
  for (const store::Trial* companion : bout.companions) {
    const std::string name = labelOf(*companion);
    runners.push_back({companion, name, name.ends_with("again") ? Role::faint : Role::plain});
  }
  Plot plot = record.roundsPlot("The winner against the original, round by round", runners);
  plot.y.log = true;
  if (!plot.series.empty()) {
    parts.add(plot);
  }
}

void addCandidates(const Bout& bout, Parts& parts) {
  DataTable table;
  table.title = "Candidates";
  table.columns = {{"turn"},    {"candidate"},    {"techniques"},
                   {"outcome"}, {"speedup", "x"}, {"message"}};
  for (const Candidate& one : bout.candidates) {
    table.columns[0].numbers.push_back(one.turn);
    table.columns[1].texts.push_back(
        fmt::format("{}{}", labelOf(*one.trial), one.source == bout.winner ? " ★" : ""));
    table.columns[2].texts.push_back(join(one.trial->details.kernel->techniques, ", "));
    table.columns[3].texts.emplace_back(nameOf(one.trial->outcome));
    table.columns[4].numbers.push_back(one.speedup);
    table.columns[5].texts.push_back(one.trial->message);
  }
  parts.add(table);
}

/// What was known about the best kernel at the begin of each turn.
void addAnalysis(const std::vector<KernelTurn>& turns, Parts& parts) {
  Tabs tabs;
  tabs.title = "The analysis";
  for (const KernelTurn& turn : turns) {
    if (!turn.analysis) {
      continue;
    }
    const model::KernelAnalysis& analysis = *turn.analysis;
    DataTable table;
    table.note =
        fmt::format("{}; {:.1f} % of the roofline, which would take {}.", analysis.category,
                    100 * orNone(analysis.rooflineShare), timeText(orNone(analysis.rooflineNs)));
    table.empty = "Nothing was found that costs time.";
    table.columns = {{"weight", "%"}, {"side"}, {"what costs time"}, {"evidence"}, {"technique"}};
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

void addDiff(const Bout& bout, Parts& parts) {
  const auto winner = std::find_if(bout.candidates.begin(), bout.candidates.end(),
                                   [&](const Candidate& one) { return one.source == bout.winner; });
  if (winner == bout.candidates.end() || winner == bout.candidates.begin()) {
    return;
  }
  const model::KernelProposal& won = *winner->trial->details.kernel;
  const std::string diff =
      unifiedDiff(bout.candidates.front().trial->details.kernel->source, won.source, won.name);
  const std::string flags = join(winner->trial->config.flags, " ");
  parts.add(TextBlock{
      .title = "What the winner changed",
      .text = diff.empty() ? fmt::format("Not its source, only the flags: {}", flags) : diff,
      .form = diff.empty() ? TextBlock::Form::words : TextBlock::Form::diff,
      .folded = false});
}

/// Exchanges with a language model as one text.
std::string conversationOf(const std::vector<model::ModelExchange>& exchanges) {
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
      turns.empty() ? "" : conversationOf(model::exchangesIn(turns.back().memory));
  if (!text.empty()) {
    parts.add(TextBlock{.title = "The conversation with the model",
                        .text = text,
                        .form = TextBlock::Form::words,
                        .folded = true});
  }
}

}  // namespace

void addTurns(const RunRecord& record, const std::string& kernel,
              const std::vector<KernelTurn>& turns, Parts& parts) {
  const Bout bout = boutOf(record, kernel, turns);
  addStory(bout, turns, parts);
  addConfirmation(record, bout, parts);
  addCandidates(bout, parts);
  addAnalysis(turns, parts);
  addDiff(bout, parts);
  addConversation(turns, parts);
}

}  // namespace hone::report
