#include "kernel/chat/chat_limits.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text/text.h"
#include "kernel/chat/chat_price.h"

namespace hone::kernel {
namespace {

/// Limits of the providers' model pages, November 2026. The first match counts.
constexpr std::array<std::pair<std::string_view, ChatLimits>, 13> kLimits = {{
    {"gpt-4.1", {1'047'576, 32'768}},
    {"gpt-4.1-mini", {1'047'576, 32'768}},
    {"gpt-4.1-nano", {1'047'576, 32'768}},
    {"gpt-4o", {128'000, 16'384}},
    {"gpt-4o-mini", {128'000, 16'384}},
    {"gpt-5", {400'000, 128'000}},
    {"gpt-5-mini", {400'000, 128'000}},
    {"o1", {200'000, 100'000}},
    {"o1-mini", {128'000, 65'536}},
    {"o1-preview", {128'000, 32'768}},
    {"o3", {200'000, 100'000}},
    {"o3-mini", {200'000, 100'000}},
    {"o4-mini", {200'000, 100'000}},
}};

/// Returns the number that the first matching pattern captures.
template <std::size_t Count>
std::optional<std::int64_t> firstNumber(const std::string& text,
                                        const std::array<const char*, Count>& patterns) {
  for (const char* pattern : patterns) {
    RE2::Options options(RE2::Quiet);
    options.set_case_sensitive(false);
    std::string digits;
    if (RE2::PartialMatch(text, RE2(pattern, options), &digits)) {
      std::erase(digits, ',');
      if (const auto number = parseInt(digits); number && *number > 0) {
        return number;
      }
    }
  }
  return std::nullopt;
}

constexpr auto kContext = std::to_array<const char*>(
    {R"(context (?:length|size|window|limit)(?:[^0-9]{1,40})([0-9][0-9,]*))",
     R"(([0-9][0-9,]*) (?:tokens? )?(?:maximum )?context)", R"(> ?([0-9][0-9,]*) maximum)",
     R"("n_ctx"\s*:\s*([0-9]+))"});

constexpr auto kPrompt = std::to_array<const char*>(
    {R"(([0-9][0-9,]*) (?:tokens )?in (?:the|your) (?:messages|prompt))",
     R"(request has ([0-9][0-9,]*) input tokens)", R"(request \(([0-9][0-9,]*) tokens)",
     R"(prompt is too long: ([0-9][0-9,]*))", R"(prompt contains ([0-9][0-9,]*))",
     R"(resulted in ([0-9][0-9,]*) tokens)", R"("n_prompt_tokens"\s*:\s*([0-9]+))"});

constexpr auto kOutput = std::to_array<const char*>(
    {R"(([0-9][0-9,]*),? which is the maximum allowed number of output)",
     R"(at most ([0-9][0-9,]*) (?:completion|output) tokens)",
     R"((?:at most|less than or equal to|not exceed|no more than|<=|up to|\[1,|between 1 and)[^0-9]{0,10}([0-9][0-9,]*))",
     R"(maximum (?:value|number of (?:output|completion) tokens|output tokens?)(?:[^0-9]{1,30})([0-9][0-9,]*))"});

bool containsAny(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

}  // namespace

ChatLimits findLimits(std::string_view model) {
  for (const auto& [name, limits] : kLimits) {
    if (model.starts_with(name) && isDateSuffix(model.substr(name.size()))) {
      return limits;
    }
  }
  return {};
}

bool isReasoningModel(std::string_view model) {
  return std::ranges::any_of(std::to_array<std::string_view>({"o1", "o3", "o4", "gpt-5"}),
                             [&](std::string_view name) {
                               return model == name || model.starts_with(std::string(name) + "-");
                             });
}

TokenComplaint readTokenComplaint(std::string_view body) {
  const std::string text = toLower(body);
  TokenComplaint complaint;
  if (!text.contains("token") && !text.contains("context") && !text.contains("too long")) {
    return complaint;
  }
  complaint.aboutContext =
      text.contains("context") || containsAny(text, {"prompt is too long", "too many tokens"});
  complaint.aboutOutput = containsAny(text, {"max_tokens", "max_completion_tokens"}) &&
                          containsAny(text, {"too large", "at most", "exceed", "maximum",
                                             "<=", "less than or equal", "must be", "range"});
  if (complaint.aboutContext) {
    complaint.limits.context = firstNumber(text, kContext);
    complaint.prompt = firstNumber(text, kPrompt);
  }
  if (complaint.aboutOutput && !complaint.limits.context) {
    complaint.limits.output = firstNumber(text, kOutput);
    // "max_tokens must be <= 8192, which is less than the context_window"
    complaint.aboutContext = complaint.aboutContext && !complaint.limits.output;
  }
  return complaint;
}

}  // namespace hone::kernel
