#include "app/tune/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "app/profile/program_profile.h"
#include "base/text/text.h"
#include "knobs/pipeline_text.h"
#include "knobs/value_names.h"
#include "report/render/table.h"
#include "report/render/tune_reasons.h"

namespace hone::app {
namespace {

using report::Align;
using tune::TunableDispatch;
using tune::TunedDispatch;
using tune::Variant;

/// Minimum width of dispatch names in a table that is too wide.
constexpr std::size_t kMinNameWidth = 15;

/// Returns the name without the program's name, which is the same for all dispatches.
std::string shortName(const TunableDispatch& tunable) {
  const auto at = tunable.name.find("dispatch_");
  return at == std::string::npos ? tunable.name : tunable.name.substr(at);
}

std::string formatSpace(const TunableDispatch& tunable) {
  return tunable.knobs
             ? fmt::format("{}{}", tunable.knobs->space.size(), tunable.knobs->complete ? "" : "+")
             : "-";
}

std::string formatShare(const TunableDispatch& tunable) {
  return fmt::format("{:.0f} %", 100 * tunable.share);
}

std::string formatWork(const TunableDispatch& tunable) {
  return std::string(model::describeWork(tunable.name, tunable.root));
}

/// Returns the kind of a dispatch that only moves data, such as "transpose"; "" for all others.
std::string formatMove(const TunableDispatch& tunable) {
  const std::string work = formatWork(tunable);
  const model::RootKind kind = tunable.root.kind;
  return work != nameOf(kind) || kind == model::RootKind::packing ? work : "";
}

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

std::string notTuned(const TunableDispatch& tunable) {
  return tunable.skipReason.empty() ? "" : fmt::format("not tuned: {}", tunable.skipReason);
}

model::TunedDispatch toResult(const TunedDispatch& dispatch) {
  model::TunedDispatch result = app::toResult(dispatch.tunable);
  result.tried = static_cast<std::int64_t>(dispatch.tried);
  result.failed = static_cast<std::int64_t>(dispatch.failed);
  if (dispatch.defaultNs > 0) {
    result.defaultNs = dispatch.defaultNs;
  }
  result.inSpec = dispatch.inSpec;
  result.note = dispatch.note;
  if (dispatch.winner) {
    result.winner =
        model::TunedWinner{.point = dispatch.winner->config.name,
                           .compilationInfo = dispatch.winner->config.attributes.front().value,
                           .speedup = dispatch.winner->comparison->speedup,
                           .verified = std::string(nameOf(dispatch.winner->expectation))};
  }
  result.searchEnd = dispatch.searchEnd;
  if (dispatch.searchEnd) {  // the search took place
    result.finalists = static_cast<std::int64_t>(dispatch.finalists);
  }
  if (dispatch.bestFinalist) {
    result.bestFinalist = model::TunedFinalist{.point = dispatch.bestFinalist->config.name,
                                               .comparison = *dispatch.bestFinalist->comparison};
  }
  return result;
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
    return fmt::format("default kept: {}", report::explainDefaultKept(toResult(dispatch)));
  }
  return dispatch.note.empty() ? "faster only alone" : dispatch.note;
}

/// Share of the program's time below which dispatches are summed up in one line.
constexpr double kMinShownShare = 0.01;

/// Small dispatches, which the table sums up in one line.
class SmallDispatches {
 public:
  /// Adds the dispatch if it is small and not tuned; returns false otherwise.
  bool add(const TunableDispatch& tunable) {
    if (tunable.skipReason.empty() || tunable.estimated || tunable.share >= kMinShownShare) {
      return false;
    }
    ++count_;
    share_ += tunable.share;
    return true;
  }
  /// Returns the cells of the line: name and share; nothing if there is no small dispatch.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> line() const {
    if (count_ == 0) {
      return std::nullopt;
    }
    return std::pair(fmt::format("{} below 1 % each", count_),
                     fmt::format("{:.0f} %", 100 * share_));
  }

 private:
  std::size_t count_ = 0;
  double share_ = 0;
};

/// Returns all names, or the first ones and the number of the others.
std::string listNames(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  if (names.size() <= kShown + 1) {
    return join(names, ", ");
  }
  return fmt::format("{} and {} more", join(std::span(names).first(kShown), ", "),
                     names.size() - kShown);
}

/// Collects reasons to print below a table, each with its dispatches.
class Reasons {
 public:
  void add(const std::string& reason, const TunableDispatch& tunable) {
    if (reason.empty()) {
      return;
    }
    const auto known = std::find_if(reasons_.begin(), reasons_.end(),
                                    [&](const Reason& one) { return one.reason == reason; });
    Reason& one = known == reasons_.end() ? reasons_.emplace_back(reason) : *known;
    one.dispatches.push_back(shortName(tunable));
  }
  void print() const {
    for (const Reason& one : reasons_) {
      fmt::print("{}: {}\n", listNames(one.dispatches), one.reason);
    }
  }

 private:
  struct Reason {
    std::string reason;
    std::vector<std::string> dispatches{};
  };
  std::vector<Reason> reasons_;
};

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
    table.add({shortName(dispatch.tunable), formatShare(dispatch.tunable),
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

/// Returns the point with the compiler's default configuration, if it is among those to try first.
std::optional<std::size_t> defaultPoint(const knobs::KnobModel& model,
                                        const model::RootOperation& root) {
  const auto infos = model.compilationInfos ? model.compilationInfos(model.first)
                                            : Result<std::vector<std::string>>{};
  const std::string config = fmt::format("lowering_config = {},", root.loweringConfig);
  const auto sizesIn = [](std::string_view text) {
    const auto at = text.find("workgroup_size");
    return at == std::string_view::npos ? "" : text.substr(at, text.find(']', at) - at);
  };
  for (std::size_t i = 0; infos && i < infos->size(); ++i) {
    const std::string& info = (*infos)[i];
    if (info.contains(config) &&
        knobs::readPipeline(info) == knobs::readPipeline(root.translationInfo) &&
        sizesIn(info) == sizesIn(root.translationInfo)) {
      return model.first[i];
    }
  }
  return std::nullopt;
}

model::TunedVariant toResult(const Variant& variant) {
  model::TunedVariant result{
      .name = variant.flags.name, .flags = variant.flags.flags, .dispatches = {}};
  for (const TunedDispatch& dispatch : variant.dispatches) {
    result.dispatches.push_back(toResult(dispatch));
  }
  return result;
}

/// Adds the members that only models have.
void addModel(const TunedProgram& tuned, model::TunedProgram& program) {
  program.sizes = tuned.whole.program.describeDims();
  program.otherSizes = tuned.otherSizes;
  if (!tuned.result.flagFindings.empty()) {
    program.note = tuned.result.flagFindings.front().message;
    program.verified = nameOf(tuned.result.flagFindings.front().expectation);
  }
  if (const auto& alternative = tuned.result.alternative) {
    program.alternative = model::AlternativeTime{
        .name = alternative->config.name,
        .timeNs = alternative->timeNs > 0 ? std::optional(alternative->timeNs) : std::nullopt,
        .speedup = alternative->comparison ? std::optional(alternative->comparison->speedup)
                                           : std::nullopt,
        .error = alternative->outcome == model::Outcome::ok ? "" : alternative->message};
  }
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

model::TunedProof toTunedProof(const tune::TuneResult& tuned) {
  const tune::Proof& proof = *tuned.proof;
  model::TunedProof result{.flags = tuned.variants[proof.recipe].flags.flags,
                           .tunedNs = proof.gain.tunedNs,
                           .speedup = proof.gain.comparison.speedup,
                           .verdict = proof.gain.comparison.verdict,
                           .spec = tuned.spec,
                           .specFaults = tuned.specFaults,
                           .dispatchTimes = std::nullopt,
                           .freshMemory = std::nullopt};
  if (const auto& fresh = proof.freshMemoryGain) {
    result.freshMemory = model::FreshMemoryGain{.defaultNs = fresh->defaultNs,
                                                .tunedNs = fresh->tunedNs,
                                                .speedup = fresh->comparison.speedup};
  }
  if (!tuned.after.empty()) {
    result.dispatchTimes =
        model::TunedDispatchTimes{app::toResult(tuned.before), app::toResult(tuned.after)};
  }
  return result;
}

}  // namespace

std::string loopsText(const model::RootOperation& root) {
  std::vector<std::string> sizes;
  for (const model::Loop& loop : root.loops) {
    sizes.push_back(fmt::format("{}{}", loop.size < 0 ? "?" : std::to_string(loop.size),
                                loop.reduction ? "r" : ""));
  }
  return join(sizes, "x");
}

void printKnobs(const knobs::KnobModel& model, const model::RootOperation& root) {
  const auto& knobs = model.space.knobs();
  const auto chosen = defaultPoint(model, root);
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const auto names = knobs::valueNames(model, i);
    std::vector<std::string> values;
    for (std::size_t v = 0; v < knobs[i].values.size(); ++v) {
      // Fall back to the raw values.
      const std::string name = names ? (*names)[v] : std::to_string(knobs[i].values[v]);
      const bool compilers = chosen && model.space.point(*chosen)[i] == knobs[i].values[v];
      values.push_back(compilers ? fmt::format("[{}]", name) : name);
    }
    fmt::print("  {:28} {}\n", knobs[i].name, join(values, " "));
  }
}

model::TunedDispatch toResult(const TunableDispatch& tunable) {
  model::TunedDispatch result;
  result.name = tunable.name;
  result.dispatches = tunable.dispatches;
  result.calls = tunable.calls;
  result.share = tunable.share;
  result.root = tunable.root;
  result.alone = tunable.standalone;
  if (tunable.knobs) {
    result.space = static_cast<std::int64_t>(tunable.knobs->space.size());
  }
  result.skipReason = tunable.skipReason;
  return result;
}

model::TunedProgram toResult(const TunedProgram& tuned) {
  const tune::TuneResult& result = tuned.result;
  model::TunedProgram program;
  program.program = tuned.whole.program.label();
  for (const Variant& variant : result.variants) {
    program.variants.push_back(toResult(variant));
  }
  program.layers = result.layers;
  program.noGain = result.lost;
  if (!tuned.graph.nodes.empty()) {
    program.graph = tuned.graph;
  }
  if (!tuned.whole.program.model.empty()) {
    addModel(tuned, program);
  }
  if (!result.flagFindings.empty()) {
    program.flagSets = static_cast<std::int64_t>(result.flagFindings.size() - 1);  // the default
  }
  if (result.proof) {
    program.defaultNs = result.proof->gain.defaultNs;
    program.proof = toTunedProof(result);
  } else if (!result.flagFindings.empty()) {
    program.defaultNs = result.flagFindings.front().timeNs;
  }
  return program;
}

std::vector<model::Precedent> collectPrecedents(const TunedProgram& tuned) {
  std::vector<model::Precedent> precedents;
  for (const Variant& variant : tuned.result.variants) {
    for (const TunedDispatch& dispatch : variant.dispatches) {
      if (dispatch.winner) {
        precedents.push_back({dispatch.tunable.root, dispatch.winner->config.name});
      }
    }
  }
  return precedents;
}

void printTunables(const tune::WholeProgram& whole, const std::vector<TunableDispatch>& tunables) {
  fmt::print("{}\n", whole.program.label());
  report::Table table({{"dispatch", Align::left, kMinNameWidth},
                       {"calls", Align::right},
                       {"share", Align::right},
                       {"kind"},
                       {"loops", Align::left, 10},
                       {"space", Align::right},
                       {"tuned"}});
  Reasons reasons;
  SmallDispatches small;
  for (const TunableDispatch& tunable : tunables) {
    if (small.add(tunable)) {
      continue;
    }
    table.add({shortName(tunable), std::to_string(tunable.calls), formatShare(tunable),
               formatWork(tunable), loopsText(tunable.root), formatSpace(tunable),
               tunable.skipReason.empty() ? "yes" : "no"});
    reasons.add(notTuned(tunable), tunable);
  }
  if (const auto line = small.line()) {
    table.add({line->first, "", line->second, "", "", "", "no"});
  }
  fmt::print("{}", table.text(report::outputWidth()));
  reasons.print();
  for (const TunableDispatch& tunable : tunables) {
    if (SmallDispatches().add(tunable)) {
      continue;
    }
    fmt::print("\n{}\n  {}  {}\n  default: {}\n           {}\n", tunable.name, tunable.root.op,
               loopsText(tunable.root), tunable.root.loweringConfig, tunable.root.translationInfo);
    if (tunable.knobs) {
      printKnobs(*tunable.knobs, tunable.root);
    }
  }
}

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
