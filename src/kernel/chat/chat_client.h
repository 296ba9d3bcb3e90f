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
  std::string key;      ///< sent only to that server, never stored or logged; "": none
  std::string keyName;  ///< environment variable that holds it, for messages
  std::string model;    ///< name of the model on the server
  double temperature = 0.7;
  std::chrono::milliseconds timeout{300'000};
  int attempts = 4;
  std::chrono::milliseconds firstPause{1'000};  ///< doubled with each attempt
};

/// Reply of a server, or the reason for a failure.
struct ChatReply {
  std::string text;
  std::string failure;  ///< one line; "" on success
  TokenUse use;         ///< as reported by the server, otherwise estimated

  [[nodiscard]] bool ok() const { return failure.empty(); }
};

/// Returns "o3" for "openai/o3": OpenAI-compatible servers do not know provider prefixes.
[[nodiscard]] std::string modelName(std::string_view model);

/// Client of an OpenAI-compatible endpoint. Retries transient failures (no connection, 429, 5xx)
/// with exponential backoff or after the server's Retry-After. Permanent ones (wrong key, unknown
/// model, no quota) are errors that abort the run. Any other failure costs one turn.
class ChatClient {
 public:
  using Pause = std::function<Result<void>(std::chrono::milliseconds)>;

  /// Creates a client; fails with a user error if the address is invalid or contains a password.
  [[nodiscard]] static Result<ChatClient> make(ChatOptions options);

  /// Sends a prompt without a conversation history. `maxTokens` limits the reply.
  [[nodiscard]] Result<ChatReply> ask(const std::string& prompt,
                                      std::optional<std::int64_t> maxTokens);

  [[nodiscard]] const std::string& model() const { return options_.model; }
  /// Replaces the function that sleeps between attempts; for tests.
  void setPause(Pause pause) { pause_ = std::move(pause); }

 private:
  explicit ChatClient(ChatOptions options);
  [[nodiscard]] std::string body(const std::string& prompt,
                                 std::optional<std::int64_t> maxTokens) const;
  [[nodiscard]] HttpRequest request(std::string body) const;
  /// Drops or renames a parameter that the server rejects; returns false if `complaint` names none.
  [[nodiscard]] bool adapt(std::string_view complaint);
  /// Returns a fatal error if no other prompt would change the reply.
  [[nodiscard]] Result<void> checkPermanentFailure(const HttpReply& reply) const;
  [[nodiscard]] Result<void> findPermanentFailure(const HttpReply& reply) const;
  [[nodiscard]] std::chrono::milliseconds pauseBefore(int attempt, const HttpReply& reply) const;
  [[nodiscard]] ChatReply read(const HttpReply& reply, std::string_view prompt) const;
  /// Returns an upper estimate of the tokens of a request whose reply never arrived.
  [[nodiscard]] TokenUse estimateLostUse(std::string_view prompt,
                                         std::optional<std::int64_t> maxTokens) const;
  /// Formats the server's error message on one line.
  [[nodiscard]] std::string describeError(const HttpReply& reply) const;
  /// Replaces the API key, which servers may echo.
  [[nodiscard]] std::string withoutKey(std::string text) const;

  ChatOptions options_;
  Pause pause_;
  bool sendTemperature_ = true;
  bool newTokenName_ = false;  ///< use max_completion_tokens, as reasoning models require
};

}  // namespace hone::kernel
