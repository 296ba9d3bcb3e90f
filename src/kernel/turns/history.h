#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/kernel_trials.h"
#include "model/result/run_details.h"

namespace hone::kernel {

/// What one turn knew, was offered and decided.
struct TurnRecord {
  std::size_t turn = 1;
  std::optional<model::KernelAnalysis> analysis;  ///< of the best at its start
  std::vector<std::string> examples;              ///< their names
  std::vector<Proposal> proposals;
  std::string complaint;    ///< of the proposer
  std::string ended;        ///< why it will propose nothing more
  nlohmann::json memory;    ///< of the proposer, after it proposed
  std::int64_t usedMs = 0;  ///< of the time budget by then, by all processes of the run

  // Once its candidates were judged and raced:
  bool decided = false;
  std::map<std::string, double> speedups;  ///< over the original, by the source's key
  std::string best;                        ///< the key of the best by then; "": the original
  double bestSpeedup = 1;
  double bestNs = 0;
  double improvement = 0;  ///< over the best before the turn, in the same race
};

/// As the store keeps it.
[[nodiscard]] model::KernelTurn storedTurn(const TurnRecord& record);
[[nodiscard]] TurnRecord turnRecordFrom(const model::KernelTurn& turn);

/// The turns of one kernel, in the details of its run: saved before candidates are judged, and
/// again when the turn is decided.
class History {
 public:
  explicit History(RunScope scope) : scope_(std::move(scope)) {}

  [[nodiscard]] Result<void> restore();
  /// The record of a turn (from 1) that began before; nullptr where it did not.
  [[nodiscard]] TurnRecord* find(std::size_t turn);
  /// Adds the record of the next turn, or replaces the last, and saves all.
  [[nodiscard]] Result<void> save(const TurnRecord& record);
  [[nodiscard]] const std::vector<TurnRecord>& turns() const { return turns_; }

 private:
  RunScope scope_;
  model::RunDetails details_;
  std::vector<TurnRecord> turns_;
};

}  // namespace hone::kernel
