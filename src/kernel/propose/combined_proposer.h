#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// Splits the candidates of a turn between two proposers. Ends when both have ended.
class CombinedProposer : public Proposer {
 public:
  CombinedProposer(std::unique_ptr<Proposer> first, std::unique_ptr<Proposer> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  [[nodiscard]] std::string_view name() const override { return "both"; }
  [[nodiscard]] Result<std::vector<Proposal>> propose(const TurnView& view) override;
  [[nodiscard]] Result<std::optional<std::vector<Proposal>>> repair(
      const TurnView& view, std::span<const JudgedProposal> failed) override;
  [[nodiscard]] std::string complaint() const override;
  [[nodiscard]] std::string ended() const override;
  [[nodiscard]] std::string conversation() const override;
  [[nodiscard]] std::string spent() const override;
  [[nodiscard]] double cost() const override { return first_->cost() + second_->cost(); }
  [[nodiscard]] nlohmann::json memory() const override;
  void restoreMemory(const nlohmann::json& memory) override;

 private:
  std::unique_ptr<Proposer> first_;
  std::unique_ptr<Proposer> second_;
};

}  // namespace hone::kernel
