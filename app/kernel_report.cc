#include "app/kernel_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "report/table.h"

namespace hone::app {
namespace {

using kernel::Optimized;
using kernel::Tried;
using kernel::TurnRecord;
using report::Align;

bool failed(const Tried& tried) {
  return !tried.judged.ok() && tried.judged.outcome != model::Outcome::tooSlow;
}

std::string overPyTorch(const Optimized& optimized, double speedup) {
  return optimized.originalOverPyTorch
             ? fmt::format("{:.2f}x", speedup * *optimized.originalOverPyTorch)
             : "-";
}

void printTurns(const Optimized& optimized) {
  report::Table table({{"turn", Align::right},
                       {"tried", Align::right},
                       {"failed", Align::right},
                       {"speedup", Align::right},
                       {"over PyTorch", Align::right},
                       {"best", Align::left, 24}});
  table.add({"0", "", "", "1.00x", overPyTorch(optimized, 1), "the original"});
  for (const TurnRecord& turn : optimized.turns) {
    std::size_t tried = 0;
    std::size_t failures = 0;
    for (const Tried& one : optimized.tried) {
      tried += one.turn == turn.turn ? 1 : 0;
      failures += one.turn == turn.turn && failed(one) ? 1 : 0;
    }
    const Tried* best = optimized.find(turn.best);
    table.add({std::to_string(turn.turn), std::to_string(tried), std::to_string(failures),
               fmt::format("{:.2f}x", turn.bestSpeedup), overPyTorch(optimized, turn.bestSpeedup),
               best != nullptr ? best->proposal.title : ""});
  }
  fmt::print("{}", table.text(report::outputWidth()));
}

std::string speedupText(const stats::Comparison& comparison) {
  const stats::Interval& speedup = comparison.speedup;
  return fmt::format("{:.2f}x (95 % interval {:.2f} - {:.2f}, {})", speedup.estimate, speedup.low,
                     speedup.high, stats::nameOf(comparison.verdict));
}

void printConfirmation(const kernel::Confirmation& confirmed) {
  fmt::print("confirmed in {} rounds of fresh processes: {} -> {}\n", confirmed.original.rounds,
             humanTime(confirmed.originalNs), humanTime(confirmed.bestNs));
  fmt::print("  over the original: {}\n", speedupText(confirmed.original));
  if (confirmed.pytorch) {
    fmt::print("  over PyTorch ({}): {}\n", humanTime(confirmed.pytorchNs),
               speedupText(*confirmed.pytorch));
  }
  fmt::print("  noise: the original differs from itself by up to {:.2f} %\n",
             100 * confirmed.original.floor);
}

}  // namespace

void printOptimized(const Optimized& optimized, const kernel::OutputFiles& files) {
  fmt::print("{}\n\n", optimized.original.name);
  printTurns(optimized);
  fmt::print("\nstopped: {}\n", optimized.why);
  if (!optimized.spent.empty()) {
    fmt::print("model: {}\n", optimized.spent);
  }
  if (optimized.confirmed) {
    printConfirmation(*optimized.confirmed);
  }
  if (!optimized.note.empty()) {
    fmt::print("{}\n", optimized.note);
  }
  if (!files.kernel.empty()) {
    fmt::print("written: {}\n", files.kernel.string());
  }
  if (!files.history.empty()) {
    fmt::print("history: {}\n", files.history.string());
  }
}

void printTried(const Optimized& optimized) {
  report::Table table({{"turn", Align::right},
                       {"outcome", Align::left},
                       {"speedup", Align::right},
                       {"candidate", Align::left, 24},
                       {"", Align::left, 24}});
  for (const Tried& tried : optimized.tried) {
    if (tried.turn > 0) {
      table.add({std::to_string(tried.turn), std::string(model::nameOf(tried.judged.outcome)),
                 tried.speedup ? fmt::format("{:.2f}x", *tried.speedup) : "", tried.proposal.title,
                 tried.judged.message});
    }
  }
  fmt::print("{}\n", table.text(report::outputWidth()));
}

}  // namespace hone::app
