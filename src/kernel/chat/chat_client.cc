#include "kernel/chat/chat_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr long kOk = 200;
constexpr long kBadRequest = 400;
constexpr long kUnauthorized = 401;
constexpr long kForbidden = 403;
constexpr long kNotFound = 404;
constexpr long kTimeout = 408;
constexpr long kTooLarge = 413;
constexpr long kUnprocessable = 422;
constexpr long kTooMany = 429;
constexpr long kServerError = 500;
/// Gives up if the server requests a longer pause.
constexpr milliseconds kMaxPause{120'000};
constexpr std::size_t kMaxMessage = 300;
/// Shorter texts are not keys, and replacing them would garble messages.
constexpr std::size_t kMinKeyLength = 6;
/// Maximum number of changes to a request that the server rejects.
constexpr int kMaxAdaptations = 8;

Result<void> pauseFor(milliseconds time) {
  constexpr milliseconds kSlice{50};
  const std::int64_t endNs = nowNs() + time.count() * 1'000'000;
  while (nowNs() < endNs) {
    if (interrupted()) {
      return interruptedError();
    }
    std::this_thread::sleep_for(kSlice);
  }
  return {};
}

bool isTransient(const HttpReply& reply) {
  return (reply.status == 0 && !reply.tooLarge) || reply.status == kTimeout ||
         reply.status == kTooMany || reply.status >= kServerError;
}

/// Returns true if the request itself is wrong, and another one may be accepted.
bool isComplaint(const HttpReply& reply) {
  return reply.status == kBadRequest || reply.status == kTooLarge || reply.status == kUnprocessable;
}

/// Returns a string member; "" if there is none.
std::string textAt(const json& object, const char* name) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

std::int64_t countAt(const json& object, const char* name) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  const bool isCount = object.is_object() && at != object.end() && at->is_number_integer();
  return isCount ? std::max<std::int64_t>(0, at->get<std::int64_t>()) : 0;
}

/// Returns the text of a message: a string, or the text parts of a list.
std::string readContent(const json& message) {
  const auto at = message.is_object() ? message.find("content") : message.end();
  if (!message.is_object() || at == message.end() || !at->is_array()) {
    return textAt(message, "content");
  }
  std::string text;
  for (const json& part : *at) {
    text += textAt(part, "text");
  }
  return text;
}

}  // namespace

std::int64_t guessTokens(std::span<const ChatMessage> messages) {
  std::int64_t tokens = 0;
  for (const ChatMessage& message : messages) {
    tokens += guessTokens(message.text);
  }
  return tokens;
}

std::string modelName(std::string_view model) {
  constexpr std::string_view kProvider = "openai/";
  return std::string(model.starts_with(kProvider) ? model.substr(kProvider.size()) : model);
}

ChatClient::ChatClient(ChatOptions options)
    : options_(std::move(options)),
      limits_(findLimits(options_.model)),
      pause_(pauseFor),
      sendTemperature_(!isReasoningModel(options_.model)),
      newTokenName_(isReasoningModel(options_.model)) {}

Result<ChatClient> ChatClient::make(ChatOptions options) {
  std::string& base = options.apiBase;
  while (base.ends_with('/')) {
    base.pop_back();
  }
  if (!base.starts_with("http://") && !base.starts_with("https://")) {
    return userError("invalid --api-base: expected http:// or https://");
  }
  const auto host = base.find("//") + 2;
  if (base.substr(host, base.find('/', host) - host).contains('@')) {
    return userError("invalid --api-base: it contains a password; set the key in HONE_API_KEY");
  }
  if (options.model.empty()) {
    return userError("invalid --model: expected a model name");
  }
  return ChatClient(std::move(options));
}

std::string ChatClient::body(const ChatRequest& request) const {
  json messages = json::array();
  for (const ChatMessage& message : request.messages) {
    const bool isUser = message.role == ChatMessage::Role::user;
    messages.push_back({{"role", isUser ? "user" : "assistant"}, {"content", message.text}});
  }
  json body = {{"model", options_.model}, {"messages", std::move(messages)}};
  if (sendTemperature_) {
    body["temperature"] = options_.temperature;
  }
  if (request.maxTokens) {
    body[newTokenName_ ? "max_completion_tokens" : "max_tokens"] = *request.maxTokens;
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

HttpRequest ChatClient::httpRequest(std::string body, milliseconds timeout) const {
  HttpRequest request;
  request.url = options_.apiBase + "/chat/completions";
  request.headers = {"Content-Type: application/json", "Expect:"};
  if (!options_.key.empty()) {
    request.headers.push_back("Authorization: Bearer " + options_.key);
  }
  request.body = std::move(body);
  request.timeout = timeout;
  return request;
}

std::string ChatClient::withoutKey(std::string text) const {
  if (options_.key.size() < kMinKeyLength) {
    return text;
  }
  for (auto at = text.find(options_.key); at != std::string::npos; at = text.find(options_.key)) {
    text.replace(at, options_.key.size(), "[key]");
  }
  return text;
}

std::string ChatClient::describeError(const HttpReply& reply) const {
  if (reply.status == 0) {
    return withoutKey(reply.failure);
  }
  const json answer = json::parse(reply.body, nullptr, false);
  std::string message;
  if (answer.is_object()) {
    const json error = answer.value("error", json());
    message = error.is_object() ? textAt(error, "message") : textAt(answer, "error");
    message = message.empty() ? textAt(answer, "message") : message;
  } else {
    message = trim(std::string_view(reply.body).substr(0, reply.body.find('\n')));
  }
  // Remove the key before the text is shortened, so that no part of it remains.
  message = shortened(withoutKey(std::move(message)), kMaxMessage);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message.empty() ? std::to_string(reply.status)
                         : fmt::format("{}: {}", reply.status, message);
}

bool ChatClient::adapt(std::string_view complaint) {
  if (sendTemperature_ && complaint.contains("temperature")) {
    sendTemperature_ = false;
    return true;
  }
  if (!newTokenName_ && complaint.contains("max_completion_tokens")) {
    newTokenName_ = true;
    return true;
  }
  return false;
}

Result<void> ChatClient::checkPermanentFailure(const HttpReply& reply) const {
  auto checked = findPermanentFailure(reply);
  if (!checked) {
    // The next prompt would be rejected, too.
    Error error = std::move(checked).error();
    error.fatal = true;
    return std::unexpected(std::move(error));
  }
  return {};
}

Result<void> ChatClient::findPermanentFailure(const HttpReply& reply) const {
  if (reply.status == kUnauthorized || reply.status == kForbidden) {
    return options_.key.empty()
               ? userError("{} needs an API key; set OPENAI_API_KEY or HONE_API_KEY ({})",
                           options_.apiBase, describeError(reply))
               : userError("{} rejected the key in {} ({})", options_.apiBase, options_.keyName,
                           describeError(reply));
  }
  if (reply.status == kNotFound) {
    return userError("{} has no model '{}', or is not an OpenAI-compatible endpoint ({})",
                     options_.apiBase, options_.model, describeError(reply));
  }
  if (reply.status == kTooMany && reply.body.contains("insufficient_quota")) {
    return machineError("no quota left for the key in {} ({})", options_.keyName,
                        describeError(reply));
  }
  return {};
}

milliseconds ChatClient::pauseBefore(int attempt, const HttpReply& reply) const {
  return reply.retryAfter.count() > 0 ? milliseconds(reply.retryAfter)
                                      : options_.firstPause * (std::int64_t{1} << attempt);
}

TokenUse ChatClient::estimateLostUse(const ChatRequest& request) const {
  constexpr std::int64_t kMaxTokensPerSecond = 100;
  const std::int64_t written =
      kMaxTokensPerSecond * std::chrono::ceil<std::chrono::seconds>(options_.timeout).count();
  return {guessTokens(request.messages), std::min(written, request.maxTokens.value_or(written))};
}

ChatReply ChatClient::read(const HttpReply& reply, const ChatRequest& request) const {
  ChatReply answer;
  const json parsed = json::parse(reply.body, nullptr, false);
  const json usage = parsed.is_object() ? parsed.value("usage", json()) : json();
  answer.use = {countAt(usage, "prompt_tokens"), countAt(usage, "completion_tokens")};
  const auto guessMissing = [&](std::string_view written) {
    // A spending limit must also hold for servers that do not report usage.
    answer.use.in = answer.use.in > 0 ? answer.use.in : guessTokens(request.messages);
    answer.use.out = answer.use.out > 0 ? answer.use.out : guessTokens(written);
  };
  const json choices = parsed.is_object() ? parsed.value("choices", json()) : json();
  if (!choices.is_array() || choices.empty() || !choices[0].is_object()) {
    guessMissing(reply.body);
    answer.failure = "invalid reply: not a chat completion";
    answer.kind = ChatReply::Failure::answer;
    return answer;
  }
  answer.text = withoutKey(readContent(choices[0].value("message", json())));
  answer.truncated = textAt(choices[0], "finish_reason") == "length";
  guessMissing(answer.text);
  if (trim(answer.text).empty()) {
    answer.failure = answer.truncated
                         ? "the model used all tokens before it answered; raise --max-tokens"
                         : "the model returned an empty answer";
    answer.kind = ChatReply::Failure::answer;
  }
  return answer;
}

bool ChatClient::fitTokens(const TokenComplaint& complaint, ChatRequest& request,
                           ChatReply& failed) {
  const auto keepSmaller = [](std::optional<std::int64_t>& limit,
                              std::optional<std::int64_t> seen) {
    limit = limit && seen ? std::min(*limit, *seen) : (seen ? seen : limit);
  };
  keepSmaller(limits_.context, complaint.limits.context);
  keepSmaller(limits_.output, complaint.limits.output);
  std::optional<std::int64_t> fitting;
  if (complaint.aboutContext && limits_.context) {
    const std::int64_t prompt = complaint.prompt.value_or(guessTokens(request.messages));
    fitting = *limits_.context - prompt - kTokenMargin;
  }
  if (complaint.aboutOutput && !complaint.aboutContext && request.maxTokens) {
    fitting = complaint.limits.output.value_or(*request.maxTokens / 2);
    limits_.output = fitting;
  }
  if (fitting && *fitting >= kMinAnswerTokens && request.maxTokens &&
      *fitting < *request.maxTokens) {
    request.maxTokens = fitting;
    return true;
  }
  if (complaint.aboutContext) {
    // Without a number, the next conversation must at least be shorter than this one.
    limits_.context = limits_.context.value_or(guessTokens(request.messages));
    failed.kind = ChatReply::Failure::tooLong;
  }
  return false;
}

Result<ChatReply> ChatClient::ask(ChatRequest request) {
  using Failure = ChatReply::Failure;
  const auto limit = request.timeLeft;
  ChatReply failed;
  const std::int64_t startNs = nowNs();
  const auto timeLeft = [&] {
    constexpr milliseconds kYear = std::chrono::hours(24 * 365);
    return limit.value_or(kYear) - milliseconds((nowNs() - startNs) / 1'000'000);
  };
  int adaptations = 0;
  for (int attempt = 0; attempt < options_.attempts; ++attempt) {
    const milliseconds timeout = std::min(options_.timeout, timeLeft());
    if (timeout.count() <= 0) {
      failed.kind = Failure::outOfTime;
      failed.failure = "no time left to wait for the model";
      break;
    }
    const HttpReply reply = HONE_TRY(post(httpRequest(body(request), timeout)));
    if (reply.status == kOk) {
      ChatReply answer = read(reply, request);
      answer.use += failed.use;
      return answer;
    }
    if (reply.timedOut) {
      failed.use += estimateLostUse(request);
    }
    HONE_CHECK(checkPermanentFailure(reply));
    failed.failure = fmt::format("{}: {}", options_.apiBase, describeError(reply));
    failed.kind = reply.tooLarge ? Failure::answer : Failure::server;
    if (isComplaint(reply) && ++adaptations <= kMaxAdaptations) {
      const TokenComplaint complaint = readTokenComplaint(reply.body);
      if (complaint.any() ? fitTokens(complaint, request, failed) : adapt(reply.body)) {
        --attempt;
        continue;
      }
    }
    const milliseconds pause = pauseBefore(attempt, reply);
    if (!isTransient(reply) || pause > kMaxPause) {
      break;
    }
    attempt += reply.timedOut ? 1 : 0;  // each timeout takes its full duration
    if (attempt + 1 < options_.attempts) {
      HONE_CHECK(pause_(std::min(pause, std::max(timeLeft(), milliseconds(0)))));
    }
  }
  return failed;
}

}  // namespace hone::kernel
