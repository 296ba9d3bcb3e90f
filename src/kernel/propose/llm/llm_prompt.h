#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// Returns the first part of a conversation: the task, the rules and the guidance of the user, if
/// any.
[[nodiscard]] std::string briefing(const TurnView& view, std::string_view guidance);

/// Returns the candidates of earlier turns with their results, one line each. Replaces the messages
/// of these turns if the conversation gets too long for the model.
[[nodiscard]] std::string earlierTurns(const TurnView& view);

/// Parts of a turn's prompt that depend on the conversation so far.
struct TurnNotes {
  std::span<const std::string> rejected;  ///< reasons for unusable parts of the last answer
  const std::set<std::string>& shown;     ///< names of examples that the model knows already
};

/// Returns the request of a turn: the best kernel, its analysis, examples, the results of earlier
/// candidates, and the number of candidates to answer with.
[[nodiscard]] std::string turnPrompt(const TurnView& view, const TurnNotes& notes);

/// Returns the request to correct candidates: the code of each with its whole error, and the
/// reasons for unusable parts of the last answer.
[[nodiscard]] std::string repairPrompt(std::span<const JudgedProposal> failed,
                                       std::span<const std::string> rejected);

}  // namespace hone::kernel
