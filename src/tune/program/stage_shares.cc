#include "tune/program/stage_shares.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {
namespace {

using std::chrono::milliseconds;

/// Rounds of a final if the time is short, and its participants: the default twice, and two sets.
constexpr int kRounds = 6;
constexpr int kParticipants = 4;
/// Starting a process, loading the module and the inputs.
constexpr milliseconds kStart{100};
/// Verifying and screening a candidate, in calls of the default.
constexpr int kScreeningCalls = 10;
/// Bounds of the fraction of the budget at which the proof begins.
constexpr double kMinProofShare = 0.5;
constexpr double kMaxProofShare = 0.85;
/// Layers are measured until this fraction of the budget at most.
constexpr double kMeasuringShare = 0.4;
/// Measuring fewer layers than this allows does not pay.
constexpr double kMinMeasuringShare = 0.05;
constexpr double kMinScreeningShare = 0.4;
constexpr double kMaxScreeningShare = 0.9;
/// The measured ways compile about as long as the estimated ones.
constexpr double kCompileSlack = 1.25;

double share(milliseconds part, milliseconds whole) {
  return static_cast<double>(part.count()) /
         static_cast<double>(std::max<std::int64_t>(whole.count(), 1));
}

/// Returns the code generated for a way, in units of a layer in the compiler's own way.
double codeOf(const Way& way) {
  constexpr double kAtOnce = 1.5;
  constexpr double kSum = 1.25;
  switch (way.method) {
    case Method::atOnce:
      return kAtOnce;
    case Method::perRow:
    case Method::perPosition:
      return kSum;
    default:
      return 1;
  }
}

}  // namespace

milliseconds estimateCompile(const ProgramCosts& costs, std::span<const LayerChoice> choices) {
  double code = 0;
  for (const LayerChoice& choice : choices) {
    code += codeOf(choice.way);
  }
  const double factor =
      choices.empty() ? 1 : std::max(1.0, code / static_cast<double>(choices.size()));
  return milliseconds(std::llround(static_cast<double>(costs.compile.count()) * factor));
}

milliseconds finalTime(const ProgramCosts& costs) {
  return kRounds * kParticipants * (costs.call + kStart);
}

double screeningShare(const ProgramCosts& costs, milliseconds time) {
  return std::clamp(1 - share(finalTime(costs), time), kMinScreeningShare, kMaxScreeningShare);
}

milliseconds comparisonTime(const ProgramCosts& costs) {
  return milliseconds(
             std::llround(kCompileSlack * static_cast<double>(costs.compileLayers.count()))) +
         kScreeningCalls * costs.call + finalTime(costs);
}

double proofShare(const ProgramCosts& costs, milliseconds budget, bool recompiles) {
  // Two finals: with memory that is kept between calls, and with fresh memory.
  const milliseconds proof =
      2 * finalTime(costs) + (recompiles ? costs.compileLayers : milliseconds(0));
  return std::clamp(1 - share(proof, budget), kMinProofShare, kMaxProofShare);
}

std::optional<LayerShares> layerShares(const ProgramCosts& costs, const BudgetUse& use) {
  const double comparing = share(comparisonTime(costs), use.budget);
  LayerShares shares{};
  shares.measuring = std::min(kMeasuringShare, proofShare(costs, use.budget, false) - comparing);
  if (shares.measuring < share(use.used, use.budget) + kMinMeasuringShare) {
    return std::nullopt;
  }
  shares.comparing = shares.measuring + comparing;
  return shares;
}

std::chrono::minutes budgetFor(const ProgramCosts& costs) {
  const milliseconds tried = costs.compile + kScreeningCalls * costs.call + comparisonTime(costs);
  const milliseconds proven = tried + 2 * finalTime(costs);
  return std::chrono::ceil<std::chrono::minutes>(std::max(
      proven, milliseconds(std::llround(static_cast<double>(tried.count()) / kMaxProofShare))));
}

}  // namespace hone::tune
