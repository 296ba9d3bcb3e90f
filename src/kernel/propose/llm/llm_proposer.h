#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel/chat/chat_client.h"
#include "kernel/chat/chat_price.h"
#include "kernel/propose/proposer.h"
#include "model/result/summary/kernel_turn.h"

namespace hone::kernel {

struct LlmLimits {
  std::optional<ChatPrice> price;         ///< nothing if unknown
  std::optional<double> maxCost;          ///< in dollars, for the whole run; needs a price
  std::optional<std::int64_t> maxTokens;  ///< per answer
};

/// Requests candidates from a language model in one conversation per kernel: a request per turn,
/// and more to correct failed candidates. Starts a new conversation with a summary of the earlier
/// turns when it no longer fits the context of the model. Treats answers as untrusted.
///
/// A server that is unreachable or refuses a request is a machine error, which ends the run. An
/// answer that cannot be used is a complaint.
class LlmProposer : public Proposer {
 public:
  /// `guidance` is the user's advice for the model; "": none.
  LlmProposer(ChatClient client, LlmLimits limits, std::string guidance = "");

  [[nodiscard]] std::string_view name() const override { return "llm"; }
  [[nodiscard]] Result<std::vector<Proposal>> propose(const TurnView& view) override;
  [[nodiscard]] Result<std::optional<std::vector<Proposal>>> repair(
      const TurnView& view, std::span<const JudgedProposal> failed) override;
  [[nodiscard]] std::string complaint() const override { return complaint_; }
  [[nodiscard]] std::string ended() const override { return ended_; }
  [[nodiscard]] std::string conversation() const override;
  [[nodiscard]] std::string spent() const override;
  [[nodiscard]] double cost() const override;
  [[nodiscard]] nlohmann::json memory() const override;
  void restoreMemory(const nlohmann::json& memory) override;

  [[nodiscard]] TokenUse used() const;

 private:
  using Exchange = model::ModelExchange;

  /// A request before its form is chosen.
  struct Draft {
    /// Returns the message; examples in `shown` are only named.
    std::function<std::string(const std::set<std::string>& shown)> message;
    bool isRepair = false;
    std::size_t count = 1;           ///< requested candidates
    std::vector<std::string> bases;  ///< files that a diff in the answer may refer to
  };
  /// A message with the conversation that it continues.
  struct Composed {
    std::vector<ChatMessage> messages;
    bool starts = false;
    std::vector<std::string> examples;
  };
  /// The part of the conversation that a request contains.
  enum class Extent : std::uint8_t { all, summary, summaryWithoutExamples };

  [[nodiscard]] Composed compose(const TurnView& view, const Draft& draft, Extent extent) const;
  /// Returns true if the messages and an answer fit the context of the model.
  [[nodiscard]] bool fits(const Composed& composed) const;
  [[nodiscard]] Result<std::vector<Proposal>> request(const TurnView& view, const Draft& draft);
  /// Reads the answer, records the exchange and sets the complaint.
  [[nodiscard]] std::vector<Proposal> record(const TurnView& view, const Draft& draft,
                                             const Composed& sent, const ChatReply& reply);
  /// Returns the exchanges that the next request continues: those with an answer since the start of
  /// the conversation.
  [[nodiscard]] std::vector<const Exchange*> current() const;
  /// Returns the maximum number of tokens of the answer to these messages; 0 if the spending cap is
  /// reached, nothing if there is no limit.
  [[nodiscard]] std::optional<std::int64_t> answerLimit(
      std::span<const ChatMessage> messages) const;

  ChatClient client_;
  LlmLimits limits_;
  std::string guidance_;
  std::vector<Exchange> exchanges_;
  std::string complaint_;
  std::string ended_;
};

}  // namespace hone::kernel
