#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "stats/compare.h"

namespace hone::model {

/// Comparison of the winner with the original kernel or PyTorch, in paired rounds.
struct KernelComparison {
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
  std::optional<double> noise;  ///< relative difference between two runs of the same kernel
  std::optional<std::int64_t> rounds;
};

struct KernelConfirmation {
  KernelComparison original;
  std::optional<KernelComparison> pytorch;  ///< absent without PyTorch
  std::optional<double> originalNs, bestNs, pytorchNs;
};

/// Summary of a turn; KernelTurn has all details.
struct KernelTurnSummary {
  std::int64_t turn = 0;
  std::optional<std::int64_t> proposals;
  std::optional<double> bestSpeedup;
  std::optional<double> improvement;
  std::string complaint;
};

/// Result of optimizing one kernel.
struct KernelOutcome {
  std::string error;  ///< reason for skipping a kernel of a batch; the other members are empty then
  std::string kernel;
  std::string language;
  std::string stopped;  ///< name of the reason for stopping
  std::string why;      ///< the reason as a sentence
  std::string note;     ///< reason why no kernel was written
  std::optional<bool> improved;
  std::string best;  ///< title of the winner
  std::vector<std::string> techniques;
  std::vector<std::string> flags;
  std::optional<KernelConfirmation> confirmed;
  std::optional<double> originalOverPyTorch;
  std::optional<std::int64_t> candidates;
  std::optional<std::int64_t> failed;
  std::vector<KernelTurnSummary> turns;
  std::string spent;                         ///< cost of the language model, as text
  std::optional<double> cost;                ///< in dollars
  std::optional<std::string> file, history;  ///< written files; "" for none
};

[[nodiscard]] nlohmann::json toJson(const KernelOutcome& outcome);
[[nodiscard]] Result<KernelOutcome> kernelOutcomeFrom(const nlohmann::json& json);
/// Decodes an outcome; throws nlohmann::json::exception if it has another form.
[[nodiscard]] KernelOutcome kernelOutcomeIn(const nlohmann::json& json);

/// An entry of a list of kernels sorted by speed.
struct ListedKernel {
  std::string kernel;   ///< file name as given in the list
  std::string content;  ///< key; equal for equal kernels and references on equal machines
  std::string problem;  ///< reason for missing figures (no reference, wrong, not timed), or ""
  std::optional<double> speedup;  ///< over PyTorch
  std::optional<double> timeNs;
  std::optional<double> pytorchNs;
  std::optional<double> rooflineShare;
  std::string category;

  bool operator==(const ListedKernel&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const ListedKernel& listed);
[[nodiscard]] Result<ListedKernel> listedKernelFrom(const nlohmann::json& json);

/// Summary of a run of `hone kernel`: the outcome of a single kernel, the list and outcomes of a
/// batch, or the list of `list-slow`.
struct KernelResult {
  KernelOutcome outcome;  ///< for a single kernel; otherwise without `improved`
  std::optional<std::vector<ListedKernel>> listed;
  std::optional<std::map<std::string, KernelOutcome>> kernels;
};

/// Encodes a list or a batch. For a single kernel use toJson(KernelOutcome).
[[nodiscard]] nlohmann::json toJson(const KernelResult& result);
[[nodiscard]] Result<KernelResult> kernelResultFrom(const nlohmann::json& json);

}  // namespace hone::model
