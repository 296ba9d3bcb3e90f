#include "kernel/propose/combined_proposer.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// Joins the non-empty ones of two texts.
std::string joinNonEmpty(std::string first, std::string second, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::string* part : {&first, &second}) {
    if (!part->empty()) {
      parts.push_back(std::move(*part));
    }
  }
  return join(parts, separator);
}

}  // namespace

Result<std::vector<Proposal>> CombinedProposer::propose(const TurnView& view) {
  TurnView half = view;
  half.count = (view.count + 1) / 2;
  std::vector<Proposal> all = HONE_TRY(first_->propose(half));
  half.count = std::max<std::size_t>(1, view.count - std::min(view.count, all.size()));
  std::vector<Proposal> others = HONE_TRY(second_->propose(half));
  all.insert(all.end(), std::make_move_iterator(others.begin()),
             std::make_move_iterator(others.end()));
  return all;
}

Result<std::optional<std::vector<Proposal>>> CombinedProposer::repair(
    const TurnView& view, std::span<const JudgedProposal> failed) {
  auto all = HONE_TRY(first_->repair(view, failed));
  auto others = HONE_TRY(second_->repair(view, failed));
  if (!all || !others) {
    return all ? std::move(all) : std::move(others);
  }
  std::ranges::move(*others, std::back_inserter(*all));
  return all;
}

std::string CombinedProposer::complaint() const {
  return joinNonEmpty(first_->complaint(), second_->complaint(), "; ");
}

std::string CombinedProposer::ended() const {
  // A proposer that only lost a turn may still propose in the next one.
  const bool both = !first_->ended().empty() && !second_->ended().empty();
  return both ? joinNonEmpty(first_->ended(), second_->ended(), "; ") : "";
}

std::string CombinedProposer::conversation() const {
  return first_->conversation() + second_->conversation();
}

std::string CombinedProposer::spent() const {
  return joinNonEmpty(first_->spent(), second_->spent(), "; ");
}

nlohmann::json CombinedProposer::memory() const {
  return nlohmann::json::array({first_->memory(), second_->memory()});
}

void CombinedProposer::restoreMemory(const nlohmann::json& memory) {
  if (memory.is_array() && memory.size() == 2) {
    first_->restoreMemory(memory[0]);
    second_->restoreMemory(memory[1]);
  }
}

}  // namespace hone::kernel
