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

/// Context of a model whose limit is unknown.
constexpr std::int64_t kAssumedContext = 32'768;
/// Share of the context that is reserved for the answer.
constexpr std::int64_t kAnswerShare = 4;
/// Characters of an answer that are stored.
constexpr std::size_t kMaxStoredAnswer = 200'000;

std::string dollars(double amount) { return fmt::format("${:.4f}", amount); }

}  // namespace

LlmProposer::LlmProposer(ChatClient client, LlmLimits limits, std::string guidance)
    : client_(std::move(client)), limits_(limits), guidance_(std::move(guidance)) {}

TokenUse LlmProposer::used() const {
  TokenUse all;
  for (const Exchange& exchange : exchanges_) {
    all += {exchange.tokensIn, exchange.tokensOut};
  }
  return all;
}

std::optional<std::int64_t> LlmProposer::answerLimit(std::span<const ChatMessage> messages) const {
  const std::int64_t prompt = guessTokens(messages);
  std::optional<std::int64_t> limit = limits_.maxTokens;
  if (limits_.maxCost && limits_.price) {
    const double remaining = *limits_.maxCost - computeCost(used(), *limits_.price) -
                             computeCost({prompt, 0}, *limits_.price);
    constexpr double kMaxTokens = 1e9;  // limits the result if the price is 0
    const auto affordable = static_cast<std::int64_t>(
        std::clamp(remaining * 1e6 / std::max(limits_.price->out, 1e-3), 0.0, kMaxTokens));
    if (affordable < kMinAnswerTokens) {
      return 0;
    }
    limit = std::min(affordable, limit.value_or(affordable));
  }
  if (limit && client_.limits().output) {
    limit = std::min(*limit, *client_.limits().output);
  }
  if (limit && client_.limits().context) {
    const std::int64_t room = *client_.limits().context - prompt - kTokenMargin;
    limit = std::min(*limit, std::max(room, kMinAnswerTokens));
  }
  return limit;
}

std::vector<const LlmProposer::Exchange*> LlmProposer::current() const {
  std::vector<const Exchange*> answered;
  const auto start =
      std::ranges::find(exchanges_.rbegin(), exchanges_.rend(), true, &Exchange::starts);
  if (start == exchanges_.rend() || !start->failure.empty()) {
    return answered;
  }
  for (auto one = std::prev(start.base()); one != exchanges_.end(); ++one) {
    if (one->failure.empty()) {
      answered.push_back(&*one);
    }
  }
  return answered;
}

LlmProposer::Composed LlmProposer::compose(const TurnView& view, const Draft& draft,
                                           Extent extent) const {
  using Role = ChatMessage::Role;
  Composed composed;
  std::set<std::string> shown;
  if (extent == Extent::all) {
    for (const Exchange* exchange : current()) {
      composed.messages.push_back({Role::user, exchange->prompt});
      composed.messages.push_back({Role::assistant, withoutReasoning(exchange->answer)});
      shown.insert(exchange->examples.begin(), exchange->examples.end());
    }
  }
  composed.starts = composed.messages.empty();
  for (const Example& example : view.examples) {
    if (extent == Extent::summaryWithoutExamples) {
      shown.insert(example.name);
    } else if (!draft.isRepair && !shown.contains(example.name)) {
      composed.examples.push_back(example.name);
    }
  }
  std::string message;
  if (composed.starts) {
    message = briefing(view, guidance_);
    message += draft.isRepair ? earlierTurns(view) : "";
  }
  composed.messages.push_back({Role::user, message + draft.message(shown)});
  return composed;
}

bool LlmProposer::fits(const Composed& composed) const {
  const std::int64_t context = client_.limits().context.value_or(kAssumedContext);
  const std::int64_t reserved =
      std::min(context / kAnswerShare, limits_.maxTokens.value_or(context / kAnswerShare));
  return guessTokens(composed.messages) + reserved <= context;
}

Result<std::vector<Proposal>> LlmProposer::request(const TurnView& view, const Draft& draft) {
  complaint_.clear();
  for (const Extent extent : {Extent::all, Extent::summary, Extent::summaryWithoutExamples}) {
    const bool isLast = extent == Extent::summaryWithoutExamples;
    const Composed composed = compose(view, draft, extent);
    if (!isLast && !fits(composed)) {
      continue;
    }
    const auto tokens = answerLimit(composed.messages);
    if (tokens == 0) {
      ended_ = fmt::format("spending cap of {} reached", dollars(*limits_.maxCost));
      return std::vector<Proposal>{};
    }
    const ChatReply reply = HONE_TRY(client_.ask({composed.messages, tokens, view.timeLeft}));
    if (reply.kind == ChatReply::Failure::tooLong && !isLast) {
      continue;
    }
    if (reply.kind == ChatReply::Failure::tooLong) {
      return machineError("the kernel does not fit into the context of {} ({} tokens): {}",
                          client_.model(), client_.limits().context.value_or(0), reply.failure);
    }
    if (reply.kind == ChatReply::Failure::server) {
      return machineError("no answer from the language model: {}", reply.failure);
    }
    return record(view, draft, composed, reply);
  }
  return std::vector<Proposal>{};
}

std::vector<Proposal> LlmProposer::record(const TurnView& view, const Draft& draft,
                                          const Composed& sent, const ChatReply& reply) {
  Exchange exchange;
  exchange.turn = static_cast<std::int64_t>(view.turn);
  exchange.at = utcNow();
  exchange.prompt = sent.messages.back().text;
  exchange.answer = shortened(reply.text, kMaxStoredAnswer);
  exchange.failure = reply.failure;
  exchange.tokensIn = reply.use.in;
  exchange.tokensOut = reply.use.out;
  exchange.starts = sent.starts;
  exchange.examples = sent.examples;
  ModelAnswer answer;
  if (reply.ok()) {
    answer = readAnswer(reply.text, view.best, draft.count, draft.bases);
    if (reply.truncated && (answer.proposals.empty() || !answer.rejected.empty())) {
      answer.rejected.emplace_back(
          "the answer ended at the token limit; answer with fewer or shorter candidates");
    }
    exchange.refused = answer.rejected;
  }
  for (const Proposal& proposal : answer.proposals) {
    exchange.proposals.push_back(proposal.source.key());
  }
  if (answer.proposals.empty()) {
    complaint_ = !reply.ok() ? reply.failure
                             : fmt::format("no candidate in the answer of the model: {}",
                                           join(answer.rejected, "; "));
  }
  exchanges_.push_back(std::move(exchange));
  return std::move(answer.proposals);
}

Result<std::vector<Proposal>> LlmProposer::propose(const TurnView& view) {
  const std::vector<std::string> rejected =
      exchanges_.empty() ? std::vector<std::string>() : exchanges_.back().refused;
  Draft draft;
  draft.message = [&](const std::set<std::string>& shown) {
    return turnPrompt(view, {rejected, shown});
  };
  draft.count = view.count;
  return request(view, draft);
}

Result<std::optional<std::vector<Proposal>>> LlmProposer::repair(
    const TurnView& view, std::span<const JudgedProposal> failed) {
  const auto turn = static_cast<std::int64_t>(view.turn);
  if (!ended_.empty() || exchanges_.empty() || exchanges_.back().turn != turn) {
    return std::nullopt;
  }
  std::set<std::string> keys;
  for (const Exchange& exchange : exchanges_) {
    if (exchange.turn == turn) {
      keys.insert(exchange.proposals.begin(), exchange.proposals.end());
    }
  }
  std::vector<JudgedProposal> own;
  Draft draft;
  for (const JudgedProposal& one : failed) {
    if (keys.contains(one.proposal.source.key())) {
      own.push_back(one);
      draft.bases.push_back(one.proposal.source.text);
    }
  }
  const Exchange& last = exchanges_.back();
  std::vector<std::string> rejected = last.refused;
  if (!last.failure.empty()) {
    rejected.push_back(last.failure);
  }
  if (own.empty() && rejected.empty()) {
    return std::nullopt;
  }
  // A model that returned nothing at all gets the request again.
  draft.isRepair = !own.empty() || last.failure.empty();
  draft.count =
      draft.isRepair ? std::max<std::size_t>(1, own.size() + rejected.size()) : view.count;
  draft.message = [&](const std::set<std::string>& shown) {
    return draft.isRepair ? repairPrompt(own, rejected) : turnPrompt(view, {rejected, shown});
  };
  return HONE_TRY(request(view, draft));
}

std::string LlmProposer::conversation() const {
  std::string text;
  for (const Exchange& exchange : exchanges_) {
    text += fmt::format("[turn {}, {}, {}, {} tokens in, {} out]\n\nUser message:\n\n{}\n\n",
                        exchange.turn, exchange.at, client_.model(), exchange.tokensIn,
                        exchange.tokensOut, exchange.prompt);
    text += exchange.failure.empty() ? fmt::format("Response:\n\n{}\n\n", exchange.answer)
                                     : fmt::format("No response: {}\n\n", exchange.failure);
    for (const std::string& reason : exchange.refused) {
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
    all.push_back(toJson(exchange));
  }
  return all;
}

void LlmProposer::restoreMemory(const nlohmann::json& memory) {
  exchanges_.clear();
  if (!memory.is_array()) {
    return;
  }
  for (const nlohmann::json& one : memory) {
    exchanges_.push_back(model::modelExchangeFrom(one));
  }
}

}  // namespace hone::kernel
