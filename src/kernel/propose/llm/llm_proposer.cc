#include "kernel/propose/llm/llm_proposer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/text/text.h"
#include "kernel/propose/llm/llm_answer.h"
#include "kernel/propose/llm/llm_prompt.h"

namespace hone::kernel {
namespace {

/// A shorter answer cannot contain a kernel.
constexpr std::int64_t kMinAnswerTokens = 256;
/// Characters of an answer that are stored.
constexpr std::size_t kMaxStoredAnswer = 200'000;

std::string dollars(double amount) { return fmt::format("${:.4f}", amount); }

}  // namespace

LlmProposer::LlmProposer(ChatClient client, LlmLimits limits)
    : client_(std::move(client)), limits_(limits) {}

TokenUse LlmProposer::used() const {
  TokenUse all;
  for (const Exchange& exchange : exchanges_) {
    all += exchange.use;
  }
  return all;
}

std::optional<std::int64_t> LlmProposer::answerLimit(const std::string& prompt) const {
  if (!limits_.maxCost || !limits_.price) {
    return limits_.maxTokens;
  }
  const TokenUse request{guessTokens(prompt), 0};
  const double remaining =
      *limits_.maxCost - computeCost(used(), *limits_.price) - computeCost(request, *limits_.price);
  if (remaining <= 0) {
    return 0;
  }
  constexpr double kMaxTokens = 1e9;  // limits the result if the price is 0
  const double affordable =
      std::min(kMaxTokens, remaining * 1e6 / std::max(limits_.price->out, 1e-3));
  const auto tokens = static_cast<std::int64_t>(affordable);
  return tokens < kMinAnswerTokens ? 0 : std::min(tokens, limits_.maxTokens.value_or(tokens));
}

Result<std::vector<Proposal>> LlmProposer::propose(const TurnView& view) {
  complaint_.clear();
  static const std::vector<std::string> kNone;
  const std::string prompt =
      buildPrompt(view, exchanges_.empty() ? kNone : exchanges_.back().rejected);
  const auto tokens = answerLimit(prompt);
  if (tokens == 0) {
    ended_ = fmt::format("spending cap of {} reached", dollars(*limits_.maxCost));
    return std::vector<Proposal>{};
  }
  const ChatReply reply = HONE_TRY(client_.ask(prompt, tokens));
  Exchange exchange;
  exchange.turn = view.turn;
  exchange.at = utcNow();
  exchange.prompt = prompt;
  exchange.answer = shortened(reply.text, kMaxStoredAnswer);
  exchange.failure = reply.failure;
  exchange.use = reply.use;
  ModelAnswer answer;
  if (reply.ok()) {
    answer = readAnswer(reply.text, view.best, view.count);
    exchange.rejected = answer.rejected;
  }
  if (answer.proposals.empty()) {
    complaint_ = !reply.ok() ? reply.failure
                             : fmt::format("no candidate in the answer of the model: {}",
                                           join(answer.rejected, "; "));
  }
  exchanges_.push_back(std::move(exchange));
  return std::move(answer.proposals);
}

std::string LlmProposer::conversation() const {
  std::string text;
  for (const Exchange& exchange : exchanges_) {
    text += fmt::format("[turn {}, {}, {}, {} tokens in, {} out]\n\nUser message:\n\n{}\n\n",
                        exchange.turn, exchange.at, client_.model(), exchange.use.in,
                        exchange.use.out, exchange.prompt);
    text += exchange.failure.empty() ? fmt::format("Response:\n\n{}\n\n", exchange.answer)
                                     : fmt::format("No response: {}\n\n", exchange.failure);
    for (const std::string& reason : exchange.rejected) {
      text += fmt::format("Rejected: {}\n", reason);
    }
    text += "\n";
  }
  return text;
}

std::string LlmProposer::spent() const {
  const TokenUse all = used();
  return fmt::format(
      "{} request{}, {} tokens in, {} out, {}", exchanges_.size(),
      exchanges_.size() == 1 ? "" : "s", all.in, all.out,
      limits_.price ? dollars(computeCost(all, *limits_.price)) : std::string("price unknown"));
}

double LlmProposer::cost() const { return limits_.price ? computeCost(used(), *limits_.price) : 0; }

nlohmann::json LlmProposer::memory() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Exchange& exchange : exchanges_) {
    all.push_back(toJson(model::ModelExchange{.turn = static_cast<std::int64_t>(exchange.turn),
                                              .at = exchange.at,
                                              .prompt = exchange.prompt,
                                              .answer = exchange.answer,
                                              .failure = exchange.failure,
                                              .refused = exchange.rejected,
                                              .tokensIn = exchange.use.in,
                                              .tokensOut = exchange.use.out}));
  }
  return all;
}

void LlmProposer::restoreMemory(const nlohmann::json& memory) {
  exchanges_.clear();
  if (!memory.is_array()) {
    return;
  }
  for (const nlohmann::json& one : memory) {
    model::ModelExchange kept = model::modelExchangeFrom(one);
    exchanges_.push_back({static_cast<std::size_t>(kept.turn),
                          std::move(kept.at),
                          std::move(kept.prompt),
                          std::move(kept.answer),
                          std::move(kept.failure),
                          std::move(kept.refused),
                          {kept.tokensIn, kept.tokensOut}});
  }
}

}  // namespace hone::kernel
