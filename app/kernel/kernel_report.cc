#include "app/kernel/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "kernel/propose/analysis/gpu_estimate.h"
#include "kernel/turns/decide/estimated_order.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using kernel::JudgedProposal;
using kernel::Optimized;
using kernel::TurnRecord;
using report::Align;

bool isFailure(const JudgedProposal& tried) {
  return !tried.judged.ok() && tried.judged.outcome != model::Outcome::tooSlow;
}

std::string overPyTorch(const Optimized& optimized, double speedup) {
  return optimized.originalOverPyTorch
             ? fmt::format("{:.2f}x", speedup * *optimized.originalOverPyTorch)
             : "-";
}

std::string turnsText(const Optimized& optimized) {
  const bool timed = optimized.timed;
  report::Table table({{"turn", Align::right},
                       {"tried", Align::right},
                       {"failed", Align::right},
                       {timed ? "speedup" : "estimated cost", Align::right},
                       {"over PyTorch", Align::right},
                       {"best", Align::left, 24}});
  table.add({"0", "", "", timed ? "1.00x" : "1.00", overPyTorch(optimized, 1), "the original"});
  for (const TurnRecord& turn : optimized.turns) {
    std::size_t tried = 0;
    std::size_t failures = 0;
    for (const JudgedProposal& one : optimized.tried) {
      tried += one.turn == turn.turn ? 1 : 0;
      failures += one.turn == turn.turn && isFailure(one) ? 1 : 0;
    }
    const JudgedProposal* best = optimized.find(turn.best);
    table.add({std::to_string(turn.turn), std::to_string(tried), std::to_string(failures),
               timed ? fmt::format("{:.2f}x", turn.bestSpeedup)
                     : fmt::format("{:.2f}", optimized.estimatedCost(turn.best).value_or(1)),
               overPyTorch(optimized, turn.bestSpeedup),
               best != nullptr ? best->proposal.title : ""});
  }
  return table.text(report::outputWidth());
}

/// Lists the most promising candidates that could not be timed, with the evidence.
std::string estimatesText(const Optimized& optimized) {
  constexpr std::size_t kMaxShown = 5;
  report::Table table({{"estimated cost", Align::right}, {"candidate", Align::left, 40}});
  std::vector<kernel::EstimatedCandidate> ordered = kernel::orderByEstimate(optimized.tried);
  ordered.resize(std::min(ordered.size(), kMaxShown));
  const auto isOriginal = [](const kernel::EstimatedCandidate& one) {
    return one.tried->turn == 0;
  };
  if (std::ranges::none_of(ordered, isOriginal) && !optimized.tried.empty()) {
    ordered.push_back({&optimized.tried.front(), 1});
  }
  for (const kernel::EstimatedCandidate& one : ordered) {
    table.add({fmt::format("{:.2f}", one.cost), one.tried->proposal.title});
  }
  std::string text = fmt::format("\n{}\n", table.text(report::outputWidth()));
  for (const std::string& key : {optimized.original.key(), optimized.best.source.key()}) {
    if (const JudgedProposal* one = optimized.find(key);
        one != nullptr && (one->turn > 0 || key == optimized.original.key())) {
      text += fmt::format("compiled, {}:\n", shortened(one->proposal.title, 60));
      for (const std::string& line : kernel::describeGpu(one->judged.facts)) {
        text += fmt::format("  {}\n", line);
      }
    }
    if (!optimized.isPromising()) {
      break;
    }
  }
  return text;
}

std::string speedupText(const stats::Comparison& comparison) {
  const stats::Interval& speedup = comparison.speedup;
  return fmt::format("{:.2f}x (95 % CI {:.2f} - {:.2f}, {})", speedup.estimate, speedup.low,
                     speedup.high, stats::nameOf(comparison.verdict));
}

std::string confirmationText(const kernel::Confirmation& confirmed) {
  std::string text = fmt::format("confirmed in {} rounds of fresh processes: {} -> {}\n",
                                 confirmed.original.rounds, humanTime(confirmed.originalNs),
                                 humanTime(confirmed.bestNs));
  text += fmt::format("  over the original: {}\n", speedupText(confirmed.original));
  if (confirmed.pytorch) {
    text += fmt::format("  over PyTorch ({}): {}\n", humanTime(confirmed.pytorchNs),
                        speedupText(*confirmed.pytorch));
  }
  return text + fmt::format("  noise: the original varies by up to {:.2f} %\n",
                            100 * confirmed.original.floor);
}

}  // namespace

std::string optimizedReport(const Optimized& optimized) {
  std::string text = fmt::format("{}\n\n{}", optimized.original.name, turnsText(optimized));
  text += fmt::format("\nstopped: {}\n", optimized.why);
  if (!optimized.spent.empty()) {
    text += fmt::format("model: {}\n", optimized.spent);
  }
  if (optimized.confirmed) {
    text += confirmationText(*optimized.confirmed);
  }
  if (!optimized.timed) {
    text += estimatesText(optimized);
  }
  if (!optimized.note.empty()) {
    text += fmt::format("{}\n", optimized.note);
  }
  return text;
}

std::string filesReport(const kernel::OutputFiles& files) {
  std::string text;
  if (!files.kernel.empty()) {
    text += fmt::format("written: {}\n", files.kernel.string());
  }
  if (!files.history.empty()) {
    text += fmt::format("history: {}\n", files.history.string());
  }
  return text;
}

std::string triedReport(const Optimized& optimized) {
  report::Table table({{"turn", Align::right},
                       {"outcome", Align::left},
                       {"speedup", Align::right},
                       {"candidate", Align::left, 24},
                       {"", Align::left, 24}});
  bool any = false;
  for (const JudgedProposal& tried : optimized.tried) {
    if (tried.turn > 0) {
      any = true;
      table.add({std::to_string(tried.turn), std::string(model::nameOf(tried.judged.outcome)),
                 tried.speedup ? fmt::format("{:.2f}x", *tried.speedup) : "", tried.proposal.title,
                 tried.judged.message});
    }
  }
  return any ? table.text(report::outputWidth()) + "\n" : "";
}

}  // namespace hone::app
