#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::kernel {

/// Tokens that a server may add around the messages.
inline constexpr std::int64_t kTokenMargin = 64;
/// A shorter answer cannot contain a kernel.
inline constexpr std::int64_t kMinAnswerTokens = 256;

/// Token limits of a model; nothing if unknown.
struct ChatLimits {
  std::optional<std::int64_t> context;  ///< conversation and answer together
  std::optional<std::int64_t> output;   ///< of one answer

  bool operator==(const ChatLimits&) const = default;
};

/// Returns the documented limits of a model, also for dated names.
[[nodiscard]] ChatLimits findLimits(std::string_view model);

/// Returns true for models that think before they answer. They accept no temperature, and name the
/// limit of an answer max_completion_tokens.
[[nodiscard]] bool isReasoningModel(std::string_view model);

/// A server's error about too many tokens.
struct TokenComplaint {
  ChatLimits limits;                   ///< as far as the message states them
  std::optional<std::int64_t> prompt;  ///< tokens of the refused conversation
  bool aboutContext = false;           ///< the conversation, or it and the answer, are too long
  bool aboutOutput = false;            ///< the requested answer is too long

  [[nodiscard]] bool any() const { return aboutContext || aboutOutput; }
};

/// Reads the error of a server: the wordings of OpenAI, Anthropic, Mistral, Groq, vLLM and
/// llama.cpp. Returns an empty complaint for other errors.
[[nodiscard]] TokenComplaint readTokenComplaint(std::string_view body);

}  // namespace hone::kernel
