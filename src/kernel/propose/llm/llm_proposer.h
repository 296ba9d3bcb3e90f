#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/chat/chat_client.h"
#include "kernel/chat/chat_price.h"
#include "kernel/propose/proposer.h"

namespace hone::kernel {

struct LlmLimits {
  std::optional<ChatPrice> price;         ///< nothing: nobody knows what it costs
  std::optional<double> maxCost;          ///< in dollars, for the whole run; needs a price
  std::optional<std::int64_t> maxTokens;  ///< of one answer
};

/// Asks a language model, one request a turn, and trusts nothing in its answer.
class LlmProposer : public Proposer {
 public:
  LlmProposer(ChatClient client, LlmLimits limits);

  [[nodiscard]] std::string_view name() const override { return "llm"; }
  [[nodiscard]] Result<std::vector<Proposal>> propose(const TurnView& view) override;
  [[nodiscard]] std::string complaint() const override { return complaint_; }
  [[nodiscard]] std::string ended() const override { return ended_; }
  [[nodiscard]] std::string conversation() const override;
  [[nodiscard]] std::string spent() const override;
  [[nodiscard]] double cost() const override;
  [[nodiscard]] nlohmann::json memory() const override;
  void recall(const nlohmann::json& memory) override;

  [[nodiscard]] TokenUse used() const;

 private:
  /// A question and what came of it.
  struct Exchange {
    std::size_t turn = 0;
    std::string at;
    std::string prompt;
    std::string answer;
    std::string failure;
    std::vector<std::string> refused;
    TokenUse use;
  };

  /// How long the answer to the prompt may be; 0: the cap leaves nothing for one.
  [[nodiscard]] std::optional<std::int64_t> tokensFor(const std::string& prompt) const;

  ChatClient client_;
  LlmLimits limits_;
  std::vector<Exchange> exchanges_;
  std::string complaint_;
  std::string ended_;
};

}  // namespace hone::kernel
