#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::model {

/// A proposed kernel, as stored.
struct KernelProposal {
  std::string language;
  std::string name;
  std::string source;
  std::vector<std::string> flags;
  std::string title;
  std::vector<std::string> techniques;
  std::string reasoning;
  std::int64_t attempt = 0;  ///< 0: first answer of the turn; N: its Nth repair

  bool operator==(const KernelProposal&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const KernelProposal& proposal);
/// Throws nlohmann::json::exception if `json` has another form, as do the decoders below.
[[nodiscard]] KernelProposal kernelProposalFrom(const nlohmann::json& json);

/// One cause of lost time, with its evidence.
struct KernelFinding {
  std::string side;  ///< "memory", "computation", "parallelism", "algorithm"
  std::string what;
  std::string evidence;
  std::string technique;
  std::optional<double> weight;  ///< share of the time that could be saved

  bool operator==(const KernelFinding&) const = default;
};

/// Analysis of the best kernel at the start of a turn.
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

/// A prompt to a language model and its answer.
struct ModelExchange {
  std::int64_t turn = 0;
  std::string at;  ///< UTC
  std::string prompt;
  std::string answer;
  std::string failure;  ///< reason for a missing answer
  std::vector<std::string> refused;
  std::int64_t tokensIn = 0, tokensOut = 0;
  bool starts = false;                 ///< sent without the exchanges before it
  std::vector<std::string> proposals;  ///< source keys of the candidates in the answer
  std::vector<std::string> examples;   ///< names of the examples in the prompt
};

[[nodiscard]] nlohmann::json toJson(const ModelExchange& exchange);
[[nodiscard]] ModelExchange modelExchangeFrom(const nlohmann::json& json);

/// One turn of a kernel's optimization.
struct KernelTurn {
  std::int64_t turn = 0;
  std::optional<KernelAnalysis> analysis;
  std::vector<std::string> examples;  ///< names
  std::vector<KernelProposal> proposals;
  std::string complaint;  ///< the proposer's message about a problem
  std::string ended;      ///< reason why it proposes nothing more
  std::string memory;     ///< state of the proposer, as JSON in its private form
  std::int64_t usedMs = 0;
  std::int64_t repairs = 0;  ///< requests to correct candidates of the turn
  bool decided = false;
  std::map<std::string, std::optional<double>>
      speedups;      ///< over the original kernel, by source key
  std::string best;  ///< source key; "": the original kernel
  std::optional<double> bestSpeedup;
  std::optional<double> bestNs;
  std::optional<double> improvement;

  bool operator==(const KernelTurn&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const KernelTurn& turn);
[[nodiscard]] KernelTurn kernelTurnFrom(const nlohmann::json& json);

/// Returns the exchanges with language models in the memory of one or two proposers; empty if they
/// use none.
[[nodiscard]] std::vector<ModelExchange> exchangesIn(std::string_view memory);

}  // namespace hone::model
