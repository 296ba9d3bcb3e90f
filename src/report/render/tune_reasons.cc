#include "report/render/tune_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::SearchEnd;
using model::TunedDispatch;
using model::TunedProgram;
using model::TunedVariant;

constexpr const char* kUnknownReason = "no gain";
/// Maximum number of dispatches that are explained one by one.
constexpr std::size_t kMaxExplained = 3;

/// Explains the result of a search with at least one candidate; "" if it was not stored.
std::string explainSearch(const TunedDispatch& dispatch) {
  const std::int64_t tried = dispatch.tried.value_or(0);
  if (dispatch.failed == tried) {
    return tried == 1 ? "the only candidate failed"
                      : fmt::format("all {} candidates failed", tried);
  }
  if (dispatch.bestFinalist) {
    const stats::Comparison& comparison = dispatch.bestFinalist->comparison;
    return fmt::format("best candidate {}: {}", speedupText(comparison.speedup),
                       stats::explainNoGain(comparison));
  }
  if (dispatch.finalists == 0) {
    return tried == 1
               ? "the only candidate was not faster than the default in screening"
               : fmt::format("none of {} candidates was faster than the default in screening",
                             tried);
  }
  return "";
}

/// Returns the size of the space if a larger budget would have tried more of it; otherwise 0.
std::int64_t untriedSpace(const TunedDispatch& dispatch) {
  const bool cut = dispatch.searchEnd == SearchEnd::budget && dispatch.space &&
                   dispatch.tried.value_or(0) < *dispatch.space;
  return cut ? *dispatch.space : 0;
}

/// A dispatch without a winner, and the flags it was compiled with.
struct KeptDispatch {
  const TunedDispatch* dispatch = nullptr;
  const TunedVariant* variant = nullptr;
};

/// Returns the dispatches without a winner whose reason is known, those with the most time first.
std::vector<KeptDispatch> collectKept(const TunedProgram& program) {
  std::vector<KeptDispatch> kept;
  for (const TunedVariant& variant : program.variants) {
    for (const TunedDispatch& dispatch : variant.dispatches) {
      if (!dispatch.winner && explainDefaultKept(dispatch) != kUnknownReason) {
        kept.push_back({&dispatch, &variant});
      }
    }
  }
  std::ranges::stable_sort(kept, std::ranges::greater(),
                           [](const KeptDispatch& one) { return one.dispatch->share.value_or(0); });
  return kept;
}

std::string nameOf(const KeptDispatch& kept) {
  const TunedDispatch& dispatch = *kept.dispatch;
  std::string name = shortDispatch(dispatch.name);
  if (!kept.variant->name.empty()) {
    name += fmt::format(" with {}", kept.variant->name);
  }
  return dispatch.share ? fmt::format("{} ({:.0f} % of the time)", name, 100 * *dispatch.share)
                        : name;
}

}  // namespace

std::string shortDispatch(const std::string& name) {
  const auto at = name.find("dispatch_");
  return at == std::string::npos ? name : name.substr(at);
}

std::string explainDefaultKept(const TunedDispatch& dispatch) {
  if (!dispatch.skipReason.empty()) {
    return fmt::format("not tuned: {}", dispatch.skipReason);
  }
  if (!dispatch.tried) {
    return kUnknownReason;
  }
  if (dispatch.tried == 0) {
    return dispatch.searchEnd == SearchEnd::exhausted
               ? "no candidate could be proposed"
               : "the budget was used up before a candidate was tried";
  }
  const std::string why = explainSearch(dispatch);
  if (why.empty()) {
    return kUnknownReason;
  }
  const std::int64_t space = untriedSpace(dispatch);
  return space == 0 ? why
                    : fmt::format("{}; the budget was used up after {} of {} candidates", why,
                                  *dispatch.tried, space);
}

std::vector<std::string> explainNoGain(const TunedProgram& program) {
  std::vector<std::string> reasons;
  for (const std::string& attempt : program.noGain) {
    reasons.push_back(fmt::format("Whole program, {}.", attempt));
  }
  const std::vector<KeptDispatch> kept = collectKept(program);
  for (std::size_t i = 0; i < std::min(kept.size(), kMaxExplained); ++i) {
    reasons.push_back(
        fmt::format("{}: {}.", nameOf(kept[i]), explainDefaultKept(*kept[i].dispatch)));
  }
  if (kept.size() > kMaxExplained) {
    reasons.push_back(fmt::format("The table has the reasons for {}.",
                                  counted(kept.size() - kMaxExplained, "more dispatch")));
  }
  const bool flagsHelped = std::ranges::any_of(
      program.variants, [](const TunedVariant& variant) { return !variant.name.empty(); });
  if (program.flagSets.value_or(0) > 0 && !flagsHelped) {
    reasons.push_back(fmt::format("Program-wide flags: {} tried, none significantly faster.",
                                  counted(static_cast<std::size_t>(*program.flagSets), "set")));
  }
  return reasons;
}

std::string explainNoGainBriefly(const TunedProgram& program) {
  if (!program.noGain.empty()) {
    return program.noGain.front();
  }
  const std::vector<KeptDispatch> kept = collectKept(program);
  return kept.empty() ? "" : explainDefaultKept(*kept.front().dispatch);
}

}  // namespace hone::report
