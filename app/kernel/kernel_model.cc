#include "app/kernel/kernel_model.h"

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "app/kernel/kernel_guidance.h"
#include "kernel/chat/chat_client.h"
#include "kernel/propose/combined_proposer.h"
#include "kernel/propose/llm/llm_proposer.h"
#include "kernel/propose/search_proposer.h"

namespace hone::app {
namespace {

constexpr const char* kDefaultModel = "openai/o3";

/// Removes a variable from the environment and from /proc/self/environ. Returns its value.
std::string takeVariable(const char* name) {
  char* value = std::getenv(name);
  if (value == nullptr) {
    return "";
  }
  std::string text = value;
  std::memset(value, '*', text.size());
  ::unsetenv(name);
  return text;
}

}  // namespace

void KernelProposerOptions::addTo(CLI::App& command) {
  command
      .add_option("--proposer", proposer,
                  "Source of candidates (default: llm with --model or --api-base, else search)")
      ->check(CLI::IsMember({"search", "llm", "both"}));
  command.add_option("--model", model, "Language model: openai/gpt-4o, … (default: openai/o3)")
      ->type_name("NAME");
  command.add_option("--api-base", apiBase, "OpenAI-compatible server (default: api.openai.com)")
      ->type_name("URL");
  command.add_option("--temperature", temperature, "Sampling temperature of the model")
      ->check(CLI::Range(0.0, 2.0))
      ->capture_default_str();
  command
      .add_option("--max-tokens", maxTokens,
                  "Maximum number of tokens per response (default: the limit of the model)")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-cost", maxCost, "Cost limit for all responses (default: none)")
      ->type_name("DOLLARS")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--price", price, "Price in dollars per million input and output tokens: 2.5,10")
      ->type_name("IN,OUT");
  command
      .add_option("--guidance", guidance,
                  "Advice for the model: a file or a text (default: guidance in hone.toml)")
      ->type_name("FILE|TEXT");
  command.add_option("--model-timeout", timeoutSeconds, "Timeout of one response")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e5))
      ->capture_default_str();
}

bool KernelProposerOptions::usesModel() const {
  return proposer.empty() ? !model.empty() || !apiBase.empty() : proposer != "search";
}

std::string KernelProposerOptions::key() const {
  return usesModel() ? fmt::format("{} {} {} {} {} {}{}", proposer, model, apiBase, temperature,
                                   maxTokens.value_or(0), maxCost.value_or(0),
                                   guidance.empty() ? "" : " " + guidance)
                     : std::string("search");
}

Result<void> KernelProposerOptions::resolveGuidance(const std::string& settings) {
  if (!usesModel()) {
    return guidance.empty()
               ? Result<void>()
               : userError("--guidance is for a language model; use --model to choose one");
  }
  if (guidance.empty()) {
    guidance = HONE_TRY(guidanceInSettings(settings)).value_or("");
  }
  if (!guidance.empty()) {
    guidance = HONE_TRY(readGuidance(guidance));
  }
  return {};
}

std::pair<std::string, std::string> takeApiKey() {
  std::pair<std::string, std::string> taken;
  for (const char* name : {"OPENAI_API_KEY", "HONE_API_KEY"}) {
    if (std::string key = takeVariable(name); !key.empty()) {
      taken = {std::move(key), name};
    }
  }
  return taken;
}

Result<ProposerMaker> ProposerMaker::make(const KernelProposerOptions& options, std::uint64_t seed,
                                          int threads) {
  ProposerMaker maker(options);
  maker.seed_ = seed;
  maker.threads_ = threads;
  std::tie(maker.key_, maker.keyName_) = takeApiKey();
  std::optional<kernel::ChatPrice> price;
  if (!options.price.empty()) {
    price = HONE_TRY(kernel::priceFrom(options.price));
  }
  if (!options.usesModel()) {
    if (!options.model.empty() || !options.apiBase.empty()) {
      return userError(
          "--proposer search uses no language model; omit --model and --api-base, or use "
          "--proposer llm or both");
    }
    return maker;
  }
  if (maker.options_.model.empty()) {
    maker.options_.model = kDefaultModel;
  }
  if (options.apiBase.empty() && maker.key_.empty()) {
    return userError(
        "no API key found for api.openai.com; set OPENAI_API_KEY or HONE_API_KEY, or use "
        "--api-base "
        "for another server");
  }
  maker.price_ = price ? price : kernel::findPrice(kernel::modelName(maker.options_.model));
  if (options.maxCost && !maker.price_) {
    return userError("--max-cost: unknown price of {}; use --price IN,OUT to set it",
                     maker.options_.model);
  }
  HONE_CHECK(maker.llm(0));
  return maker;
}

Result<std::unique_ptr<kernel::Proposer>> ProposerMaker::llm(double spent) const {
  kernel::ChatOptions chat;
  if (!options_.apiBase.empty()) {
    chat.apiBase = options_.apiBase;
  }
  chat.key = key_;
  chat.keyName = keyName_;
  chat.model = kernel::modelName(options_.model);
  chat.temperature = options_.temperature;
  chat.timeout = std::chrono::milliseconds(std::llround(options_.timeoutSeconds * 1000));
  kernel::LlmLimits limits;
  limits.price = price_;
  limits.maxTokens = options_.maxTokens;
  if (options_.maxCost) {
    limits.maxCost = std::max(0.0, *options_.maxCost - spent);
  }
  auto client = HONE_TRY(kernel::ChatClient::make(std::move(chat)));
  return std::make_unique<kernel::LlmProposer>(std::move(client), limits, options_.guidance);
}

Result<std::unique_ptr<kernel::Proposer>> ProposerMaker::proposer(double spent) const {
  if (!options_.usesModel()) {
    return kernel::makeSearchProposer(seed_, threads_);
  }
  auto model = HONE_TRY(llm(spent));
  if (options_.proposer != "both") {
    return model;
  }
  return std::make_unique<kernel::CombinedProposer>(std::move(model),
                                                    kernel::makeSearchProposer(seed_, threads_));
}

}  // namespace hone::app
