#include "app/tune/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/profile/program_profile.h"
#include "base/text/text.h"
#include "knobs/value_names.h"
#include "report/render/table.h"
#include "report/render/tune_reasons.h"

namespace hone::app {
namespace {

using report::Align;
using tune::Subject;
using tune::TunedDispatch;
using tune::Variant;

/// Minimum width of dispatch names in a table that is too wide.
constexpr std::size_t kMinNameWidth = 15;

std::string formatLoops(const model::RootOperation& root) {
  std::vector<std::string> sizes;
  for (const model::Loop& loop : root.loops) {
    sizes.push_back(fmt::format("{}{}", loop.size < 0 ? "?" : std::to_string(loop.size),
                                loop.reduction ? "r" : ""));
  }
  return join(sizes, "x");
}

/// Returns the name without the program's name, which is the same for all dispatches.
std::string shortName(const Subject& subject) {
  const auto at = subject.name.find("dispatch_");
  return at == std::string::npos ? subject.name : subject.name.substr(at);
}

std::string formatSpace(const Subject& subject) {
  return subject.knobs
             ? fmt::format("{}{}", subject.knobs->space.size(), subject.knobs->complete ? "" : "+")
             : "-";
}

std::string formatShare(const Subject& subject) {
  return fmt::format("{:.0f} %", 100 * subject.share);
}

std::string formatSpeedup(const TunedDispatch& dispatch) {
  if (!dispatch.winner) {
    return "";
  }
  const stats::Interval& speedup = dispatch.winner->comparison->speedup;
  return fmt::format("{:.2f}x ({:.2f}-{:.2f})", speedup.estimate, speedup.low, speedup.high);
}

std::string notTuned(const Subject& subject) {
  return subject.whyNot.empty() ? "" : fmt::format("not tuned: {}", subject.whyNot);
}

model::TunedDispatch toResult(const TunedDispatch& dispatch) {
  model::TunedDispatch result = app::toResult(dispatch.subject);
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
                           .verified = std::string(nameOf(dispatch.winner->against))};
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
std::string whyNotInSpec(const TunedDispatch& dispatch) {
  if (dispatch.inSpec) {
    return "";
  }
  if (!dispatch.subject.whyNot.empty()) {
    return notTuned(dispatch.subject);
  }
  if (!dispatch.winner) {
    return fmt::format("default kept: {}", report::explainDefaultKept(toResult(dispatch)));
  }
  return dispatch.note.empty() ? "faster only alone" : dispatch.note;
}

/// Collects reasons to print below a table, each with its dispatches.
class Reasons {
 public:
  void add(const std::string& reason, const Subject& subject) {
    if (reason.empty()) {
      return;
    }
    const auto known = std::find_if(reasons_.begin(), reasons_.end(),
                                    [&](const Reason& one) { return one.reason == reason; });
    Reason& one = known == reasons_.end() ? reasons_.emplace_back(reason) : *known;
    one.dispatches.push_back(shortName(subject));
  }
  void print() const {
    for (const Reason& one : reasons_) {
      fmt::print("{}: {}\n", join(one.dispatches, ", "), one.reason);
    }
  }

 private:
  struct Reason {
    std::string reason;
    std::vector<std::string> dispatches{};  // NOLINT(readability-redundant-member-init)
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
  for (const TunedDispatch& dispatch : variant.dispatches) {
    const bool tuned = dispatch.subject.whyNot.empty();
    table.add({shortName(dispatch.subject), formatShare(dispatch.subject),
               tuned ? fmt::format("{} of {}", dispatch.tried, formatSpace(dispatch.subject)) : "",
               tuned ? humanTime(dispatch.defaultNs) : "", formatSpeedup(dispatch),
               dispatch.inSpec ? "yes" : "no"});
    reasons.add(whyNotInSpec(dispatch), dispatch.subject);
    if (dispatch.failed > 0) {
      reasons.add(fmt::format("{} candidates failed", dispatch.failed), dispatch.subject);
    }
  }
  fmt::print("{}", table.text(report::outputWidth()));
  reasons.print();
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
      if (dispatch.tried == 0 && dispatch.subject.knobs && dispatch.subject.whyNot.empty()) {
        candidates += dispatch.subject.knobs->space.size();
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

void printKnobs(const knobs::KnobModel& model) {
  const auto& knobs = model.space.knobs();
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const auto names = knobs::valueNames(model, i);
    // Fall back to the raw values.
    fmt::print("  {:28} {}\n", knobs[i].name,
               names ? join(*names, " ") : fmt::format("{}", fmt::join(knobs[i].values, " ")));
  }
}

model::TunedVariant toResult(const Variant& variant) {
  model::TunedVariant result{
      .name = variant.flags.name, .flags = variant.flags.flags, .dispatches = {}};
  for (const TunedDispatch& dispatch : variant.dispatches) {
    result.dispatches.push_back(toResult(dispatch));
  }
  return result;
}

model::TunedProof toTunedProof(const tune::TuneResult& tuned) {
  const tune::Proof& proof = *tuned.proof;
  model::TunedProof result{.flags = tuned.variants[proof.recipe].flags.flags,
                           .tunedNs = proof.tunedNs,
                           .speedup = proof.comparison.speedup,
                           .verdict = proof.comparison.verdict,
                           .spec = tuned.spec,
                           .specFaults = tuned.specFaults,
                           .dispatchTimes = std::nullopt};
  if (!tuned.after.empty()) {
    result.dispatchTimes =
        model::DispatchTimes{app::toResult(tuned.before), app::toResult(tuned.after)};
  }
  return result;
}

}  // namespace

model::TunedDispatch toResult(const Subject& subject) {
  model::TunedDispatch result;
  result.name = subject.name;
  result.dispatches = subject.dispatches;
  result.calls = subject.calls;
  result.share = subject.share;
  result.root = subject.root;
  result.alone = subject.cutOut;
  if (subject.knobs) {
    result.space = static_cast<std::int64_t>(subject.knobs->space.size());
  }
  result.whyNot = subject.whyNot;
  return result;
}

model::TunedProgram toResult(const TunedProgram& tuned) {
  const tune::TuneResult& result = tuned.result;
  model::TunedProgram program;
  program.program = tuned.whole.program.label();
  for (const Variant& variant : result.variants) {
    program.variants.push_back(toResult(variant));
  }
  program.noGain = result.lost;
  if (!result.flagFindings.empty()) {
    program.flagSets = static_cast<std::int64_t>(result.flagFindings.size() - 1);  // the default
  }
  if (result.proof) {
    program.defaultNs = result.proof->defaultNs;
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
        precedents.push_back({dispatch.subject.root, dispatch.winner->config.name});
      }
    }
  }
  return precedents;
}

void printSubjects(const tune::WholeProgram& whole, const std::vector<Subject>& subjects,
                   bool inFull) {
  fmt::print("{}\n", whole.program.label());
  report::Table table({{"dispatch", Align::left, kMinNameWidth},
                       {"calls", Align::right},
                       {"share", Align::right},
                       {"kind"},
                       {"loops", Align::left, 10},
                       {"space", Align::right},
                       {"tuned"}});
  Reasons reasons;
  for (const Subject& subject : subjects) {
    table.add({shortName(subject), std::to_string(subject.calls), formatShare(subject),
               std::string(nameOf(subject.root.kind)), formatLoops(subject.root),
               formatSpace(subject), subject.whyNot.empty() ? "yes" : "no"});
    reasons.add(notTuned(subject), subject);
  }
  fmt::print("{}", table.text(report::outputWidth()));
  reasons.print();
  if (!inFull) {
    return;
  }
  for (const Subject& subject : subjects) {
    fmt::print("\n{}\n  {}  {}\n  default: {}\n           {}\n", subject.name, subject.root.op,
               formatLoops(subject.root), subject.root.loweringConfig,
               subject.root.translationInfo);
    if (subject.knobs) {
      printKnobs(*subject.knobs);
    }
  }
}

void printTuned(const TunedProgram& tuned, const iree::Device& device) {
  fmt::print("{} on {}\n", tuned.whole.program.label(), device.name);
  for (const Variant& variant : tuned.result.variants) {
    printVariant(variant);
  }
  fmt::print("\n");
  printUntried(tuned);
  for (const std::string& lost : tuned.result.lost) {
    fmt::print("tried on the whole program: {}\n", lost);
  }
  if (!tuned.result.proof) {
    fmt::print("no significant gain on the whole program; the compiler's default is kept\n");
    return;
  }
  const tune::Proof& proof = *tuned.result.proof;
  const stats::Interval& speedup = proof.comparison.speedup;
  fmt::print("whole program: {} -> {}, {:.2f}x as fast (95 % CI {:.2f}-{:.2f}), results equal\n",
             humanTime(proof.defaultNs), humanTime(proof.tunedNs), speedup.estimate, speedup.low,
             speedup.high);
  for (const std::string& fault : tuned.result.specFaults) {
    fmt::print("note: {}\n", fault);
  }
}

}  // namespace hone::app
