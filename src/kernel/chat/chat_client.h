#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernel/chat/chat_price.h"
#include "kernel/chat/http_post.h"

namespace hone::kernel {

struct ChatOptions {
  std::string apiBase = "https://api.openai.com/v1";
  std::string key;      ///< sent to that server alone, and never written anywhere; "" for none
  std::string keyName;  ///< the variable that it came from, for messages
  std::string model;    ///< as the server calls it
  double temperature = 0.7;
  std::chrono::milliseconds timeout{300'000};
  int attempts = 4;
  std::chrono::milliseconds firstPause{1'000};  ///< doubled with every attempt
};

/// What a server answered, or why it did not.
struct ChatReply {
  std::string text;
  std::string failure;  ///< "" where there is an answer; one line else
  TokenUse use;         ///< as the server counts; guessed where it does not

  [[nodiscard]] bool ok() const { return failure.empty(); }
};

/// "openai/o3" is "o3" for servers that speak OpenAI's language: they know no providers.
[[nodiscard]] std::string modelName(std::string_view model);

/// Asks models at any OpenAI-compatible endpoint. What may pass (no connection, 429, 5xx) is tried
/// again with growing pauses, or when the server says; what will not (a wrong key, an unknown
/// model, an empty account) is an error that ends the run. All else is a failure that costs a turn.
class ChatClient {
 public:
  using Pause = std::function<Result<void>(std::chrono::milliseconds)>;

  /// An address that is none, or that holds a password, is a user error.
  [[nodiscard]] static Result<ChatClient> make(ChatOptions options);

  /// One question, without any memory of those before. `maxTokens` bounds the answer.
  [[nodiscard]] Result<ChatReply> ask(const std::string& prompt,
                                      std::optional<std::int64_t> maxTokens);

  [[nodiscard]] const std::string& model() const { return options_.model; }
  /// How pauses are made; tests make none.
  void setPause(Pause pause) { pause_ = std::move(pause); }

 private:
  explicit ChatClient(ChatOptions options);
  [[nodiscard]] std::string body(const std::string& prompt,
                                 std::optional<std::int64_t> maxTokens) const;
  [[nodiscard]] HttpRequest request(std::string body) const;
  /// Leaves out, or renames, a parameter that the server does not take; false: it named none.
  [[nodiscard]] bool adapt(std::string_view complaint);
  /// An error for a reply that no other prompt would change; it ends all.
  [[nodiscard]] Result<void> refuse(const HttpReply& reply) const;
  [[nodiscard]] Result<void> refusalOf(const HttpReply& reply) const;
  [[nodiscard]] std::chrono::milliseconds pauseBefore(int attempt, const HttpReply& reply) const;
  [[nodiscard]] ChatReply read(const HttpReply& reply, std::string_view prompt) const;
  /// What a request may cost that was sent and whose answer never came.
  [[nodiscard]] TokenUse useOfLost(std::string_view prompt,
                                   std::optional<std::int64_t> maxTokens) const;
  /// What the server says of its error, in a line.
  [[nodiscard]] std::string saidBy(const HttpReply& reply) const;
  /// Servers may send a key back; nobody shall see it.
  [[nodiscard]] std::string withoutKey(std::string text) const;

  ChatOptions options_;
  Pause pause_;
  bool sendTemperature_ = true;
  bool newTokenName_ = false;  ///< max_completion_tokens, which reasoning models want
};

}  // namespace hone::kernel
