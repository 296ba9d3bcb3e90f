#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/trials/kernel_trials.h"
#include "model/result/run_details.h"

namespace hone::kernel {

/// The record of one turn: its inputs, proposals and result.
struct TurnRecord {
  std::size_t turn = 1;
  std::optional<model::KernelAnalysis> analysis;  ///< of the best kernel at the start of the turn
  std::vector<std::string> examples;              ///< names of the examples shown
  std::vector<Proposal> proposals;                ///< with those of repairs
  std::size_t repairs = 0;                        ///< requests to correct failed candidates so far
  std::string complaint;                          ///< of the last request; see Proposer::complaint
  std::string ended;                              ///< see Proposer::ended
  nlohmann::json memory;                          ///< state of the proposer after it proposed
  std::int64_t usedMs = 0;  ///< time budget used so far by all processes of the run

  // Set after the candidates were judged and raced:
  bool decided = false;
  std::map<std::string, double> speedups;  ///< over the original, by source key
  std::string best;  ///< source key of the best kernel so far; "": the original
  double bestSpeedup = 1;
  double bestNs = 0;       ///< 0 if kernels cannot be timed: then there are no speedups
  double improvement = 0;  ///< over the best before the turn, measured in the same race
};

[[nodiscard]] model::KernelTurn toStoredTurn(const TurnRecord& record);
[[nodiscard]] TurnRecord turnRecordFrom(const model::KernelTurn& turn);

/// The turns of one kernel, stored in the details of its run. A turn is saved before its candidates
/// are judged and again when it is decided.
class History {
 public:
  explicit History(RunScope scope) : scope_(std::move(scope)) {}

  [[nodiscard]] Result<void> restore();
  /// Returns the record of a turn, counted from 1; nullptr if the turn did not begin.
  [[nodiscard]] TurnRecord* find(std::size_t turn);
  /// Adds the record of a new turn or replaces an existing one, and saves all turns.
  [[nodiscard]] Result<void> save(const TurnRecord& record);
  [[nodiscard]] const std::vector<TurnRecord>& turns() const { return turns_; }

 private:
  RunScope scope_;
  model::RunDetails details_;
  std::vector<TurnRecord> turns_;
};

}  // namespace hone::kernel
