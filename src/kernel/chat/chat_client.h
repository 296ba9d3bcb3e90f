#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/chat/chat_limits.h"
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

/// A message of a conversation.
struct ChatMessage {
  enum class Role : std::uint8_t { user, assistant };
  Role role = Role::user;
  std::string text;
};

/// Estimates the tokens of a conversation; errs on the high side.
[[nodiscard]] std::int64_t guessTokens(std::span<const ChatMessage> messages);

struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::optional<std::int64_t> maxTokens;              ///< limit of the answer
  std::optional<std::chrono::milliseconds> timeLeft;  ///< for all attempts together
};

/// Reply of a server, or the reason for a failure.
struct ChatReply {
  enum class Failure : std::uint8_t {
    none,
    answer,     ///< the model's answer cannot be used
    server,     ///< the server is unreachable, or refuses the request
    tooLong,    ///< the conversation exceeds the context of the model
    outOfTime,  ///< `timeLeft` ended before the server answered
  };
  std::string text;
  std::string failure;  ///< one line; "" on success
  Failure kind = Failure::none;
  bool truncated = false;  ///< the answer ended at the token limit
  TokenUse use;            ///< as reported by the server, otherwise estimated

  [[nodiscard]] bool ok() const { return failure.empty(); }
};

/// Returns "o3" for "openai/o3": OpenAI-compatible servers do not know provider prefixes.
[[nodiscard]] std::string modelName(std::string_view model);

/// Client of an OpenAI-compatible endpoint. Retries transient failures (no connection, 429, 5xx)
/// with exponential backoff or after the server's Retry-After. Adapts parameters that the server
/// rejects, and learns token limits from its errors. A wrong key or an unknown model is a user
/// error, an exhausted quota a machine error; both abort the run.
class ChatClient {
 public:
  using Pause = std::function<Result<void>(std::chrono::milliseconds)>;

  /// Creates a client; fails with a user error if the address is invalid or contains a password.
  [[nodiscard]] static Result<ChatClient> make(ChatOptions options);

  /// Sends a conversation and returns the answer. Lowers `maxTokens` if the server rejects it.
  [[nodiscard]] Result<ChatReply> ask(ChatRequest request);

  [[nodiscard]] const std::string& model() const { return options_.model; }
  /// Returns the limits of the model, as documented or learnt so far.
  [[nodiscard]] const ChatLimits& limits() const { return limits_; }
  /// Replaces the function that sleeps between attempts; for tests.
  void setPause(Pause pause) { pause_ = std::move(pause); }

 private:
  explicit ChatClient(ChatOptions options);
  [[nodiscard]] std::string body(const ChatRequest& request) const;
  [[nodiscard]] HttpRequest httpRequest(std::string body, std::chrono::milliseconds timeout) const;
  /// Drops or renames a parameter that the server rejects; returns false if `complaint` names none.
  [[nodiscard]] bool adapt(std::string_view complaint);
  /// Learns from an error about tokens and lowers the request's limit. Returns false if that does
  /// not help; then `failed` says why.
  [[nodiscard]] bool fitTokens(const TokenComplaint& complaint, ChatRequest& request,
                               ChatReply& failed);
  /// Returns a fatal error if no other prompt would change the reply.
  [[nodiscard]] Result<void> checkPermanentFailure(const HttpReply& reply) const;
  [[nodiscard]] Result<void> findPermanentFailure(const HttpReply& reply) const;
  [[nodiscard]] std::chrono::milliseconds pauseBefore(int attempt, const HttpReply& reply) const;
  [[nodiscard]] ChatReply read(const HttpReply& reply, const ChatRequest& request) const;
  /// Returns an upper estimate of the tokens of a request whose reply never arrived.
  [[nodiscard]] TokenUse estimateLostUse(const ChatRequest& request) const;
  /// Formats the server's error message on one line.
  [[nodiscard]] std::string describeError(const HttpReply& reply) const;
  /// Replaces the API key, which servers may echo.
  [[nodiscard]] std::string withoutKey(std::string text) const;

  ChatOptions options_;
  ChatLimits limits_;
  Pause pause_;
  bool sendTemperature_;
  bool newTokenName_;  ///< use max_completion_tokens, as reasoning models require
};

}  // namespace hone::kernel
