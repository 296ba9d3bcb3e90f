#include "model/result/summary/kernel_result.h"

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

json toJson(const KernelComparison& comparison) {
  json one = json::object();
  if (comparison.verdict) {
    one["verdict"] = nameOf(*comparison.verdict);
  }
  if (comparison.speedup) {
    one["speedup"] = comparison.speedup->estimate;
    one["low"] = comparison.speedup->low;
    one["high"] = comparison.speedup->high;
  }
  setIf(one, "noise", comparison.noise);
  setIf(one, "rounds", comparison.rounds);
  return one;
}

KernelComparison kernelComparisonFrom(const json& json) {
  return {.verdict = verdictOf(json, "verdict"),
          .speedup = intervalFrom(json),
          .noise = fieldOf<double>(json, "noise"),
          .rounds = fieldOf<std::int64_t>(json, "rounds")};
}

json toJson(const KernelConfirmation& confirmed) {
  return {{"original", toJson(confirmed.original)},
          {"pytorch", confirmed.pytorch ? toJson(*confirmed.pytorch) : json()},
          {"original_ns", orNull(confirmed.originalNs)},
          {"best_ns", orNull(confirmed.bestNs)},
          {"pytorch_ns", orNull(confirmed.pytorchNs)}};
}

KernelConfirmation kernelConfirmationFrom(const json& json) {
  KernelConfirmation confirmed{.original = kernelComparisonFrom(memberOf(json, "original")),
                               .pytorch = std::nullopt,
                               .originalNs = measuredOf(json, "original_ns"),
                               .bestNs = measuredOf(json, "best_ns"),
                               .pytorchNs = measuredOf(json, "pytorch_ns")};
  if (const nlohmann::json& pytorch = memberOf(json, "pytorch"); !pytorch.is_null()) {
    confirmed.pytorch = kernelComparisonFrom(pytorch);
  }
  return confirmed;
}

json toJson(const KernelTurnSummary& turn) {
  json one = {{"turn", turn.turn}, {"complaint", turn.complaint}};
  setIf(one, "proposals", turn.proposals);
  setIf(one, "best_speedup", turn.bestSpeedup);
  setIf(one, "improvement", turn.improvement);
  return one;
}

KernelTurnSummary kernelTurnSummaryFrom(const json& json) {
  return {.turn = fieldOf<std::int64_t>(json, "turn").value_or(0),
          .proposals = fieldOf<std::int64_t>(json, "proposals"),
          .bestSpeedup = fieldOf<double>(json, "best_speedup"),
          .improvement = fieldOf<double>(json, "improvement"),
          .complaint = textOf(json, "complaint")};
}

ListedKernel listedIn(const json& json) {
  return {.kernel = textOf(json, "kernel"),
          .content = textOf(json, "content"),
          .problem = textOf(json, "problem"),
          .speedup = fieldOf<double>(json, "speedup"),
          .timeNs = measuredOf(json, "time_ns"),
          .pytorchNs = measuredOf(json, "pytorch_ns"),
          .rooflineShare = measuredOf(json, "roofline_share"),
          .category = textOf(json, "category")};
}

}  // namespace

json toJson(const KernelOutcome& outcome) {
  if (!outcome.error.empty()) {
    return {{"error", outcome.error}};
  }
  json whole = {{"kernel", outcome.kernel},
                {"language", outcome.language},
                {"stopped", outcome.stopped},
                {"why", outcome.why},
                {"note", outcome.note},
                {"best", outcome.best},
                {"techniques", outcome.techniques},
                {"flags", outcome.flags},
                {"confirmed", outcome.confirmed ? toJson(*outcome.confirmed) : json()},
                {"original_over_pytorch", orNull(outcome.originalOverPyTorch)},
                {"turns", json::array()},
                {"spent", outcome.spent}};
  for (const KernelTurnSummary& turn : outcome.turns) {
    whole["turns"].push_back(toJson(turn));
  }
  setIf(whole, "improved", outcome.improved);
  setIf(whole, "candidates", outcome.candidates);
  setIf(whole, "failed", outcome.failed);
  setIf(whole, "cost", outcome.cost);
  setIf(whole, "file", outcome.file);
  setIf(whole, "history", outcome.history);
  return whole;
}

KernelOutcome kernelOutcomeIn(const json& json) {
  KernelOutcome outcome;
  outcome.error = textOf(json, "error");
  outcome.kernel = textOf(json, "kernel");
  outcome.language = textOf(json, "language");
  outcome.stopped = textOf(json, "stopped");
  outcome.why = textOf(json, "why");
  outcome.note = textOf(json, "note");
  outcome.improved = fieldOf<bool>(json, "improved");
  outcome.best = textOf(json, "best");
  outcome.techniques = textsOf(json, "techniques");
  outcome.flags = textsOf(json, "flags");
  if (const nlohmann::json& confirmed = memberOf(json, "confirmed"); !confirmed.is_null()) {
    outcome.confirmed = kernelConfirmationFrom(confirmed);
  }
  outcome.originalOverPyTorch = fieldOf<double>(json, "original_over_pytorch");
  outcome.candidates = fieldOf<std::int64_t>(json, "candidates");
  outcome.failed = fieldOf<std::int64_t>(json, "failed");
  outcome.turns = listOf(json, "turns", kernelTurnSummaryFrom);
  outcome.spent = textOf(json, "spent");
  outcome.cost = fieldOf<double>(json, "cost");
  outcome.file = fieldOf<std::string>(json, "file");
  outcome.history = fieldOf<std::string>(json, "history");
  return outcome;
}

Result<KernelOutcome> kernelOutcomeFrom(const json& json) {
  return readResult(json, "kernel outcome", kernelOutcomeIn);
}

json toJson(const ListedKernel& listed) {
  return {{"kernel", listed.kernel},
          {"content", listed.content},
          {"problem", listed.problem},
          {"speedup", orNull(listed.speedup)},
          {"time_ns", listed.timeNs.value_or(0)},
          {"pytorch_ns", listed.pytorchNs.value_or(0)},
          {"roofline_share", listed.rooflineShare.value_or(0)},
          {"category", listed.category}};
}

Result<ListedKernel> listedKernelFrom(const json& json) {
  return readResult(json, "listed kernel", listedIn);
}

json toJson(const KernelResult& result) {
  json whole = json::object();
  if (result.listed) {
    whole["listed"] = listJson(*result.listed);
  }
  if (result.kernels) {
    whole["kernels"] = json::object();
    for (const auto& [name, outcome] : *result.kernels) {
      whole["kernels"][name] = toJson(outcome);
    }
  }
  return whole;
}

Result<KernelResult> kernelResultFrom(const json& json) {
  return readResult(json, "kernel result", [](const nlohmann::json& whole) {
    KernelResult result{
        .outcome = kernelOutcomeIn(whole), .listed = std::nullopt, .kernels = std::nullopt};
    if (!memberOf(whole, "listed").is_null()) {
      result.listed = listOf(whole, "listed", listedIn);
    }
    if (const nlohmann::json& kernels = memberOf(whole, "kernels"); !kernels.is_null()) {
      result.kernels.emplace();
      for (const auto& [name, outcome] : kernels.items()) {
        (*result.kernels)[name] = kernelOutcomeIn(outcome);
      }
    }
    return result;
  });
}

}  // namespace hone::model
