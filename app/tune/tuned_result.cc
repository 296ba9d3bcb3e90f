#include "app/tune/tuned_result.h"

#include <utility>

#include "app/profile/program_profile.h"

namespace hone::app {
namespace {

using tune::TunableDispatch;
using tune::TunedDispatch;
using tune::Variant;

model::TunedVariant toResult(const Variant& variant) {
  model::TunedVariant result{
      .name = variant.flags.name, .flags = variant.flags.flags, .dispatches = {}};
  for (const TunedDispatch& dispatch : variant.dispatches) {
    result.dispatches.push_back(app::toResult(dispatch));
  }
  return result;
}

}  // namespace

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

}  // namespace hone::app
