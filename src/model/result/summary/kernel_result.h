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

/// The winner against the original or PyTorch, in paired rounds.
struct KernelComparison {
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
  std::optional<double> noise;  ///< relative difference of the same kernel from itself
  std::optional<std::int64_t> rounds;
};

struct KernelConfirmation {
  KernelComparison original;
  std::optional<KernelComparison> pytorch;  ///< nothing without PyTorch
  std::optional<double> originalNs, bestNs, pytorchNs;
};

/// A turn in short; KernelTurn has all of it.
struct KernelTurnSummary {
  std::int64_t turn = 0;
  std::optional<std::int64_t> proposals;
  std::optional<double> bestSpeedup;
  std::optional<double> improvement;
  std::string complaint;
};

/// The result of optimizing one kernel.
struct KernelOutcome {
  std::string error;  ///< why a kernel of a batch was left out; then there is nothing else
  std::string kernel;
  std::string language;
  std::string stopped;  ///< name of the reason
  std::string why;      ///< the same as a sentence
  std::string note;     ///< why no kernel was written
  std::optional<bool> improved;
  std::string best;  ///< title of the winner
  std::vector<std::string> techniques;
  std::vector<std::string> flags;
  std::optional<KernelConfirmation> confirmed;
  std::optional<double> originalOverPyTorch;
  std::optional<std::int64_t> candidates;
  std::optional<std::int64_t> failed;
  std::vector<KernelTurnSummary> turns;
  std::string spent;                         ///< on the language model, for people
  std::optional<double> cost;                ///< in dollars
  std::optional<std::string> file, history;  ///< that were written; "" for none
};

[[nodiscard]] nlohmann::json toJson(const KernelOutcome& outcome);
[[nodiscard]] Result<KernelOutcome> kernelOutcomeFrom(const nlohmann::json& json);
/// The same; throws nlohmann::json::exception if it has another form.
[[nodiscard]] KernelOutcome kernelOutcomeIn(const nlohmann::json& json);

/// A kernel of a list by speed.
struct ListedKernel {
  std::string kernel;   ///< its file, as the list names it
  std::string content;  ///< equal for equal kernels and references on equal machines
  std::string problem;  ///< why it has no figures: no reference, wrong, not timed; "" else
  std::optional<double> speedup;  ///< over PyTorch
  std::optional<double> timeNs;
  std::optional<double> pytorchNs;
  std::optional<double> rooflineShare;
  std::string category;

  bool operator==(const ListedKernel&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const ListedKernel& listed);
[[nodiscard]] Result<ListedKernel> listedKernelFrom(const nlohmann::json& json);

/// The summary of a run of `hone kernel`: of one kernel its outcome, of a batch the list and the
/// outcomes by kernel, of `list-slow` the list.
struct KernelResult {
  KernelOutcome outcome;  ///< of one kernel; without `improved` where there is none
  std::optional<std::vector<ListedKernel>> listed;
  std::optional<std::map<std::string, KernelOutcome>> kernels;
};

/// Of a list and a batch. That of one kernel is toJson(KernelOutcome).
[[nodiscard]] nlohmann::json toJson(const KernelResult& result);
[[nodiscard]] Result<KernelResult> kernelResultFrom(const nlohmann::json& json);

}  // namespace hone::model
