#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernel/chat/chat_price.h"
#include "kernel/propose/proposer.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Who proposes, and for a language model where it is and what it may cost.
struct KernelProposerOptions {
  std::string proposer;  ///< search, llm, both; "": llm where a model or a server is named
  std::string model;
  std::string apiBase;
  double temperature = 0.7;
  std::optional<std::int64_t> maxTokens;
  std::optional<double> maxCost;
  std::string price;
  double timeoutSeconds = 300;

  void addTo(CLI::App& verb);
  [[nodiscard]] bool usesModel() const;
  /// What decides the proposals, for the key of a run.
  [[nodiscard]] std::string key() const;
};

/// Takes the keys of language models out of the environment, so that no kernel can read them there;
/// the one to use, and the variable's name, or two empty texts.
[[nodiscard]] std::pair<std::string, std::string> takeApiKey();

/// Makes proposers, each for one kernel.
class ProposerMaker {
 public:
  /// What is wrong with the options is a user error before anything is judged.
  [[nodiscard]] static Result<ProposerMaker> make(const KernelProposerOptions& options,
                                                  std::uint64_t seed, int threads);
  /// A fresh one for a kernel; `spent` dollars of the cap are used up.
  [[nodiscard]] Result<std::unique_ptr<kernel::Proposer>> proposer(double spent) const;

 private:
  explicit ProposerMaker(KernelProposerOptions options) : options_(std::move(options)) {}
  [[nodiscard]] Result<std::unique_ptr<kernel::Proposer>> llm(double spent) const;

  KernelProposerOptions options_;
  std::optional<kernel::ChatPrice> price_;
  std::string key_;
  std::string keyName_;
  std::uint64_t seed_ = 1;
  int threads_ = 1;
};

}  // namespace hone::app
