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

/// Options that select the proposer and limit a language model.
struct KernelProposerOptions {
  std::string
      proposer;  ///< search, llm, both; "": llm if a model or a server is given, else search
  std::string model;
  std::string apiBase;
  double temperature = 0.7;
  std::optional<std::int64_t> maxTokens;
  std::optional<double> maxCost;
  std::string price;
  double timeoutSeconds = 300;
  std::string guidance;  ///< a file or a text as given; the text itself after resolveGuidance()

  void addTo(CLI::App& command);
  [[nodiscard]] bool usesModel() const;
  /// Replaces `guidance` by the text for the model: that of the option or of the settings file.
  /// Fails with a user error if the option is given without a model.
  [[nodiscard]] Result<void> resolveGuidance(const std::string& settings);
  /// Returns the options that affect the proposals, for the key of a run.
  [[nodiscard]] std::string key() const;
};

/// Removes the API keys from the environment, so that no kernel can read them. Returns the key to
/// use and the name of its variable, or two empty strings.
[[nodiscard]] std::pair<std::string, std::string> takeApiKey();

/// Creates one proposer per kernel.
class ProposerMaker {
 public:
  /// Fails with a user error if the options are invalid.
  [[nodiscard]] static Result<ProposerMaker> make(const KernelProposerOptions& options,
                                                  std::uint64_t seed, int threads);
  /// Creates a proposer for a kernel; `spent` dollars of --max-cost are already used.
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
