#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::model {

/// A changed kernel, as the store keeps it.
struct KernelProposal {
  std::string language;
  std::string name;
  std::string source;
  std::vector<std::string> flags;
  std::string title;
  std::vector<std::string> techniques;
  std::string reasoning;

  bool operator==(const KernelProposal&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const KernelProposal& proposal);
/// Throws nlohmann::json::exception if it has another form, as do those below.
[[nodiscard]] KernelProposal kernelProposalFrom(const nlohmann::json& json);

/// One cause of lost time, with its evidence.
struct KernelFinding {
  std::string side;  ///< "memory", "computation", "parallelism", "algorithm"
  std::string what;
  std::string evidence;
  std::string technique;
  std::optional<double> weight;  ///< share of the time that may be won

  bool operator==(const KernelFinding&) const = default;
};

/// What was known about the best kernel at the start of a turn.
struct KernelAnalysis {
  std::string category;
  std::optional<double> rooflineNs;
  std::optional<double> rooflineShare;
  std::optional<bool> timed;
  std::string compiled;
  std::string counters;
  std::vector<KernelFinding> findings;
  std::vector<std::string> strategies;

  bool operator==(const KernelAnalysis&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const KernelAnalysis& analysis);

/// A question to a language model and its answer.
struct ModelExchange {
  std::int64_t turn = 0;
  std::string at;  ///< UTC
  std::string prompt;
  std::string answer;
  std::string failure;  ///< why there is no answer
  std::vector<std::string> refused;
  std::int64_t tokensIn = 0, tokensOut = 0;
};

[[nodiscard]] nlohmann::json toJson(const ModelExchange& exchange);
[[nodiscard]] ModelExchange modelExchangeFrom(const nlohmann::json& json);

/// One turn of a kernel's optimization.
struct KernelTurn {
  std::int64_t turn = 0;
  std::optional<KernelAnalysis> analysis;
  std::vector<std::string> examples;  ///< names
  std::vector<KernelProposal> proposals;
  std::string complaint;  ///< of the proposer
  std::string ended;      ///< why it proposes nothing more
  std::string memory;     ///< of the proposer, as JSON: only it knows the form
  std::int64_t usedMs = 0;
  bool decided = false;
  std::map<std::string, std::optional<double>> speedups;  ///< over the original, by source key
  std::string best;                                       ///< source key; "": the original
  std::optional<double> bestSpeedup;
  std::optional<double> bestNs;
  std::optional<double> improvement;

  bool operator==(const KernelTurn&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const KernelTurn& turn);
[[nodiscard]] KernelTurn kernelTurnFrom(const nlohmann::json& json);

/// The exchanges with language models in the memory of a proposer, or of two; none if it asks none.
[[nodiscard]] std::vector<ModelExchange> exchangesIn(std::string_view memory);

}  // namespace hone::model
