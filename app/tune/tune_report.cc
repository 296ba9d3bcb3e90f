#include "app/tune/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/tune/dispatch_table.h"
#include "base/text/text.h"
#include "report/render/table.h"
#include "report/render/tune_reasons.h"

namespace hone::app {
namespace {

using report::Align;
using tune::TunedDispatch;
using tune::Variant;

std::string formatSpeedup(const TunedDispatch& dispatch) {
  if (!dispatch.winner) {
    return "";
  }
  const stats::Interval& speedup = dispatch.winner->comparison->speedup;
  return fmt::format("{:.2f}x ({:.2f}-{:.2f})", speedup.estimate, speedup.low, speedup.high);
}

std::string formatGain(double defaultNs, double tunedNs, const stats::Interval& speedup) {
  return fmt::format("{} -> {}, {:.2f}x as fast (95 % CI {:.2f}-{:.2f})", humanTime(defaultNs),
                     humanTime(tunedNs), speedup.estimate, speedup.low, speedup.high);
}

/// Returns why a dispatch is not in the spec; "" if it is.
std::string explainNotInSpec(const TunedDispatch& dispatch) {
  if (dispatch.inSpec) {
    return "";
  }
  if (!dispatch.tunable.skipReason.empty()) {
    return notTuned(dispatch.tunable);
  }
  if (!dispatch.winner) {
    return fmt::format("default kept: {}", report::explainDefaultKept(app::toResult(dispatch)));
  }
  return dispatch.note.empty() ? "faster only alone" : dispatch.note;
}

void printVariant(const Variant& variant) {
  if (variant.flags.name.empty()) {
    fmt::print("\n");
  } else {
    fmt::print("\nwith {}: {}\n", variant.flags.name, variant.flags.why);
  }
  report::Table table({{"dispatch", Align::left, kMinNameWidth},
                       {"share", Align::right},
                       {"tried", Align::right},
                       {"default", Align::right},
                       {"speedup", Align::right},
                       {"in spec"}});
  Reasons reasons;
  SmallDispatches small;
  for (const TunedDispatch& dispatch : variant.dispatches) {
    if (small.add(dispatch.tunable)) {
      continue;
    }
    const bool tuned = dispatch.tunable.skipReason.empty();
    table.add({shortName(dispatch.tunable.name), formatShare(dispatch.tunable),
               tuned ? fmt::format("{} of {}", dispatch.tried, formatSpace(dispatch.tunable))
                     : formatMove(dispatch.tunable),
               tuned ? humanTime(dispatch.defaultNs) : "", formatSpeedup(dispatch),
               dispatch.inSpec ? "yes" : "no"});
    reasons.add(explainNotInSpec(dispatch), dispatch.tunable);
    if (dispatch.failed > 0) {
      reasons.add(
          fmt::format("{} candidate{} failed", dispatch.failed, dispatch.failed == 1 ? "" : "s"),
          dispatch.tunable);
    }
  }
  if (const auto line = small.line()) {
    table.add({line->first, line->second, "", "", "", "no"});
  }
  fmt::print("{}", table.text(report::outputWidth()));
  reasons.print();
}

/// Prints the most expensive layers with the times of the default and of the fastest way.
void printLayers(const tune::TuneResult& result) {
  constexpr std::size_t kShown = 10;
  if (result.layers.empty()) {
    return;
  }
  fmt::print("\nlayers, each measured alone\n");
  report::Table table({{"layer", Align::left, kMinNameWidth},
                       {"calls", Align::right},
                       {"default", Align::right},
                       {"tuned", Align::right},
                       {"speedup", Align::right},
                       {"way"}});
  const std::size_t shown = std::min(kShown, result.layers.size());
  for (const model::TunedLayer& layer : std::span(result.layers).first(shown)) {
    const auto tuned = layer.ns.find(layer.way);
    const bool known = tuned != layer.ns.end();
    table.add(
        {layer.layer.describe(), std::to_string(layer.layer.calls),
         layer.defaultNs ? humanTime(*layer.defaultNs) : "N.A.",
         known ? humanTime(tuned->second) : "N.A.",
         known && layer.defaultNs ? fmt::format("{:.1f}x", *layer.defaultNs / tuned->second) : "",
         layer.way + (layer.remembered ? " (earlier run)" : "")});
  }
  fmt::print("{}", table.text(report::outputWidth()));
  if (shown < result.layers.size()) {
    fmt::print("{} more layers: hone report\n", result.layers.size() - shown);
  }
}

/// Prints which dispatches had no time, and the budget that would suffice by the time per trial so
/// far.
void printUntried(const TunedProgram& tuned) {
  constexpr double kUsefulTrials = 50;  // per dispatch
  std::size_t candidates = 0;
  std::size_t dispatches = 0;
  auto trials = static_cast<double>(tuned.result.flagFindings.size());
  for (const Variant& variant : tuned.result.variants) {
    for (const TunedDispatch& dispatch : variant.dispatches) {
      trials += static_cast<double>(dispatch.tried);
      if (dispatch.tried == 0 && dispatch.tunable.knobs && dispatch.tunable.skipReason.empty()) {
        candidates += dispatch.tunable.knobs->space.size();
        ++dispatches;
      }
    }
  }
  if (dispatches == 0) {
    return;
  }
  const double spent = static_cast<double>(tuned.wallNs) / 1e9;
  const double needed =
      spent + kUsefulTrials * static_cast<double>(dispatches) * spent / std::max(trials, 1.0);
  fmt::print("0 of {} candidates of {} dispatch{} tried: raise --budget to about {}m\n", candidates,
             dispatches, dispatches == 1 ? "" : "es",
             std::max<std::int64_t>(1, std::llround(std::ceil(needed / 60))));
}

/// Prints the reference of a model and the time of ONNX Runtime.
void printModel(const TunedProgram& tuned) {
  model::TunedProgram program;
  addModel(tuned, program);
  if (!program.sizes.empty()) {
    fmt::print("sizes: {}\n", program.sizes);
  }
  if (!program.note.empty()) {
    fmt::print("note: the default {}\n", program.note);
  } else if (program.verified == nameOf(engine::Expectation::reference)) {
    fmt::print("results verified against ONNX Runtime\n");
  }
  if (!program.alternative) {
    return;
  }
  if (program.alternative->timeNs) {
    const auto& speedup = program.alternative->speedup;
    fmt::print("ONNX Runtime on the same threads: {}{}\n", humanTime(*program.alternative->timeNs),
               speedup ? fmt::format(", {:.2f}x as fast as the default", speedup->estimate) : "");
  } else {
    fmt::print("ONNX Runtime not measured: {}\n", program.alternative->error);
  }
}

}  // namespace

void printTuned(const TunedProgram& tuned, const iree::Device& device) {
  fmt::print("{} on {}\n", tuned.whole.program.label(), device.name);
  printLayers(tuned.result);
  for (const Variant& variant : tuned.result.variants) {
    printVariant(variant);
  }
  fmt::print("\n");
  printUntried(tuned);
  for (const std::string& lost : tuned.result.lost) {
    fmt::print("tried on the whole program: {}\n", lost);
  }
  if (!tuned.whole.program.model.empty()) {
    printModel(tuned);
  }
  if (!tuned.result.proof) {
    fmt::print("no significant gain on the whole program; the compiler's default is kept\n");
    return;
  }
  const tune::ProgramGain& gain = tuned.result.proof->gain;
  fmt::print("whole program: {}, results equal\n",
             formatGain(gain.defaultNs, gain.tunedNs, gain.comparison.speedup));
  const model::TunedProof stored = toTunedProof(tuned.result);
  if (const auto* fresh = model::differentFreshMemoryGain(stored)) {
    fmt::print("with fresh memory in every call, as iree-benchmark-module measures: {}\n",
               formatGain(*fresh->defaultNs, *fresh->tunedNs, *fresh->speedup));
  }
  for (const std::string& fault : tuned.result.specFaults) {
    fmt::print("note: {}\n", fault);
  }
  for (const model::SizeProof& size : tuned.otherSizes) {
    if (size.speedup && size.defaultNs && size.tunedNs) {
      fmt::print("with {}: {}\n", size.sizes,
                 formatGain(*size.defaultNs, *size.tunedNs, *size.speedup));
    } else {
      fmt::print("with {}: {}\n", size.sizes.empty() ? "other sizes" : size.sizes, size.error);
    }
  }
}

void printEffort(const tune::Effort& effort) {
  fmt::print("{:.0f} s, {:.0f} % of them on candidates; hone used {:.0f} MB\n", effort.seconds,
             100 * effort.candidateShare, static_cast<double>(effort.peakBytes) / 1e6);
}

}  // namespace hone::app
