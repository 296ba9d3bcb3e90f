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
  return {.verdict = readVerdict(json, "verdict"),
          .speedup = intervalFrom(json),
          .noise = readField<double>(json, "noise"),
          .rounds = readField<std::int64_t>(json, "rounds")};
}

json toJson(const KernelConfirmation& confirmed) {
  return {{"original", toJson(confirmed.original)},
          {"pytorch", confirmed.pytorch ? toJson(*confirmed.pytorch) : json()},
          {"original_ns", orNull(confirmed.originalNs)},
          {"best_ns", orNull(confirmed.bestNs)},
          {"pytorch_ns", orNull(confirmed.pytorchNs)}};
}

KernelConfirmation kernelConfirmationFrom(const json& json) {
  KernelConfirmation confirmed{.original = kernelComparisonFrom(findMember(json, "original")),
                               .pytorch = std::nullopt,
                               .originalNs = readMeasured(json, "original_ns"),
                               .bestNs = readMeasured(json, "best_ns"),
                               .pytorchNs = readMeasured(json, "pytorch_ns")};
  if (const nlohmann::json& pytorch = findMember(json, "pytorch"); !pytorch.is_null()) {
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
  return {.turn = readField<std::int64_t>(json, "turn").value_or(0),
          .proposals = readField<std::int64_t>(json, "proposals"),
          .bestSpeedup = readField<double>(json, "best_speedup"),
          .improvement = readField<double>(json, "improvement"),
          .complaint = readText(json, "complaint")};
}

ListedKernel listedIn(const json& json) {
  return {.kernel = readText(json, "kernel"),
          .content = readText(json, "content"),
          .problem = readText(json, "problem"),
          .speedup = readField<double>(json, "speedup"),
          .timeNs = readMeasured(json, "time_ns"),
          .pytorchNs = readMeasured(json, "pytorch_ns"),
          .rooflineShare = readMeasured(json, "roofline_share"),
          .category = readText(json, "category")};
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
  outcome.error = readText(json, "error");
  outcome.kernel = readText(json, "kernel");
  outcome.language = readText(json, "language");
  outcome.stopped = readText(json, "stopped");
  outcome.why = readText(json, "why");
  outcome.note = readText(json, "note");
  outcome.improved = readField<bool>(json, "improved");
  outcome.best = readText(json, "best");
  outcome.techniques = readTexts(json, "techniques");
  outcome.flags = readTexts(json, "flags");
  if (const nlohmann::json& confirmed = findMember(json, "confirmed"); !confirmed.is_null()) {
    outcome.confirmed = kernelConfirmationFrom(confirmed);
  }
  outcome.originalOverPyTorch = readField<double>(json, "original_over_pytorch");
  outcome.candidates = readField<std::int64_t>(json, "candidates");
  outcome.failed = readField<std::int64_t>(json, "failed");
  outcome.turns = readList(json, "turns", kernelTurnSummaryFrom);
  outcome.spent = readText(json, "spent");
  outcome.cost = readField<double>(json, "cost");
  outcome.file = readField<std::string>(json, "file");
  outcome.history = readField<std::string>(json, "history");
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
    if (!findMember(whole, "listed").is_null()) {
      result.listed = readList(whole, "listed", listedIn);
    }
    if (const nlohmann::json& kernels = findMember(whole, "kernels"); !kernels.is_null()) {
      result.kernels.emplace();
      for (const auto& [name, outcome] : kernels.items()) {
        (*result.kernels)[name] = kernelOutcomeIn(outcome);
      }
    }
    return result;
  });
}

}  // namespace hone::model
