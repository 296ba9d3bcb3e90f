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
  std::optional<ChatPrice> price;         ///< nothing if unknown
  std::optional<double> maxCost;          ///< in dollars, for the whole run; needs a price
  std::optional<std::int64_t> maxTokens;  ///< per answer
};

/// Requests candidates from a language model, once per turn. Treats its answers as untrusted.
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
  void restoreMemory(const nlohmann::json& memory) override;

  [[nodiscard]] TokenUse used() const;

 private:
  /// A request and its result.
  struct Exchange {
    std::size_t turn = 0;
    std::string at;  ///< time in UTC
    std::string prompt;
    std::string answer;
    std::string failure;
    std::vector<std::string> rejected;
    TokenUse use;
  };

  /// Returns the maximum number of tokens of the answer to a prompt; 0 if the spending cap is
  /// reached, nothing if there is no limit.
  [[nodiscard]] std::optional<std::int64_t> answerLimit(const std::string& prompt) const;

  ChatClient client_;
  LlmLimits limits_;
  std::vector<Exchange> exchanges_;
  std::string complaint_;
  std::string ended_;
};

}  // namespace hone::kernel
