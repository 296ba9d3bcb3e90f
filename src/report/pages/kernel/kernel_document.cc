#include "report/pages/kernel/kernel_document.h"

#include <fmt/format.h>

#include "model/result/summary/kernel_result.h"
#include "report/pages/kernel/kernel_turns.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::KernelOutcome;
using model::KernelResult;
using model::KernelTurn;
using model::ListedKernel;

/// One kernel of a run with its turns and outcome.
struct Kernel {
  std::string name;  ///< empty if the run has only one
  const std::vector<KernelTurn>* turns;
  KernelOutcome outcome;
};

std::vector<Kernel> collectKernels(const store::Run& run, const KernelResult& result) {
  std::vector<Kernel> kernels;
  const auto& done = result.kernels ? *result.kernels : run.details.done;
  for (const auto& [name, turns] : run.details.kernels) {
    const auto found = done.find(name);
    kernels.push_back({name, &turns,
                       name.empty()          ? result.outcome
                       : found == done.end() ? KernelOutcome()
                                             : found->second});
  }
  return kernels;
}

/// Adds the result of the last race of an unfinished run.
void answerSoFar(const std::string& name, const std::vector<KernelTurn>& turns, Answer& answer) {
  std::optional<double> best;
  std::int64_t turn = 0;
  for (const KernelTurn& one : turns) {
    if (one.decided) {
      turn = one.turn;
      best = one.bestSpeedup;
    }
  }
  if (best) {
    answer.lines.push_back(
        fmt::format("{}: {} after turn {}, not confirmed yet.", name, asFast(*best), turn));
  }
}

/// Returns the confirmed speedup over the original, if any.
std::optional<stats::Interval> confirmedSpeedup(const KernelOutcome& outcome) {
  return outcome.improved == true && outcome.confirmed ? outcome.confirmed->original.speedup
                                                       : std::nullopt;
}

void answerOne(const std::string& name, const KernelOutcome& outcome, Answer& answer) {
  const auto over = confirmedSpeedup(outcome);
  if (!over) {
    answer.headline = fmt::format("{}: no significant speedup; the original is kept.", name);
    answer.lines.push_back(outcome.note.empty() ? outcome.why : outcome.note);
    return;
  }
  const model::KernelConfirmation& confirmed = *outcome.confirmed;
  answer.tone = Answer::Tone::good;
  answer.headline =
      fmt::format("{} is {}: {} → {}.", name, asFast(over->estimate),
                  timeText(orNone(confirmed.originalNs)), timeText(orNone(confirmed.bestNs)));
  const auto rounds = confirmed.original.rounds;
  answer.lines.push_back(fmt::format("{}{} of fresh processes; {}; results verified.",
                                     speedupText(*over),
                                     rounds ? fmt::format(" in {} rounds", *rounds) : " in rounds",
                                     explainVerdict(confirmed.original.verdict)));
  if (confirmed.pytorch && confirmed.pytorch->speedup) {
    answer.lines.push_back(
        fmt::format("Speedup over PyTorch: {}.", speedupText(*confirmed.pytorch->speedup)));
  }
  answer.lines.push_back(
      fmt::format("Winner: {}. Stopped because: {}.", outcome.best, outcome.why));
}

void answerAll(const std::vector<Kernel>& kernels, Answer& answer) {
  std::size_t improved = 0;
  for (const Kernel& kernel : kernels) {
    if (const auto over = confirmedSpeedup(kernel.outcome)) {
      ++improved;
      answer.lines.push_back(fmt::format("{}: {}", kernel.name, speedupText(*over)));
    }
  }
  answer.tone = improved > 0 ? Answer::Tone::good : Answer::Tone::plain;
  answer.headline = fmt::format("Significant speedups: {} of {}.", improved,
                                counted(kernels.size(), "slow kernel"));
}

void addListed(const std::vector<ListedKernel>& listed, Document& document) {
  DataTable table;
  table.title = "Kernels";
  table.columns = {{"kernel"},        {"speedup over PyTorch", "x"}, {"time", "ns"},
                   {"PyTorch", "ns"}, {"share of roofline", "%"},    {"category"},
                   {"problem"}};
  Bars bars;
  bars.title = "Share of the roofline";
  bars.note = "Performance of each kernel relative to the roofline, the limit of the machine.";
  bars.value = {"share of roofline", "%"};
  bars.rules = {100};
  Bars::Group shares;
  for (const ListedKernel& one : listed) {
    const double share = 100 * orNone(one.rooflineShare);
    table.columns[0].texts.push_back(one.kernel);
    table.columns[1].numbers.push_back(orNone(one.speedup));
    table.columns[2].numbers.push_back(orNone(one.timeNs));
    table.columns[3].numbers.push_back(orNone(one.pytorchNs));
    table.columns[4].numbers.push_back(share);
    table.columns[5].texts.push_back(one.category);
    table.columns[6].texts.push_back(one.problem);
    if (one.rooflineShare) {
      bars.names.push_back(one.kernel);
      shares.values.push_back(share);
    }
  }
  bars.groups.push_back(std::move(shares));
  document.add(bars);
  document.add(table);
}

}  // namespace

Result<void> describeKernel(const RunRecord& record, Document& document) {
  const KernelResult result = HONE_TRY(model::kernelResultFrom(record.summary()));
  const std::vector<Kernel> kernels = collectKernels(record.run, result);
  if (kernels.size() == 1 && kernels.front().name.empty()) {
    const Kernel& only = kernels.front();
    const std::string shown = only.outcome.kernel.empty() ? "The kernel" : only.outcome.kernel;
    if (record.finished()) {
      answerOne(shown, only.outcome, document.answer);
    } else {
      answerSoFar(shown, *only.turns, document.answer);
    }
    addTurns(record, "", *only.turns, document);
    return {};
  }
  Tabs tabs;
  for (const Kernel& kernel : kernels) {
    Parts parts;
    addTurns(record, kernel.name, *kernel.turns, parts);
    tabs.tabs.emplace_back(kernel.name, std::move(parts));
  }
  if (!kernels.empty()) {
    answerAll(kernels, document.answer);
    document.add(tabs);
  } else if (result.listed) {
    document.answer.headline =
        fmt::format("{} measured.", counted(result.listed->size(), "kernel"));
  } else {
    document.answer.headline = fmt::format("{} recorded.", counted(record.trials.size(), "trial"));
  }
  if (result.listed) {
    addListed(*result.listed, document);
  }
  return {};
}

}  // namespace hone::report
