#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "store/store.h"

namespace hone::cluster {

/// Serializes trials with their samples.
[[nodiscard]] nlohmann::json toJson(const std::vector<store::TrialRecord>& records);
[[nodiscard]] Result<std::vector<store::TrialRecord>> recordsFrom(const nlohmann::json& json);

/// Returns the trials of a run with their samples, in trial order.
[[nodiscard]] Result<std::vector<store::TrialRecord>> readRecords(const store::Store& store,
                                                                  std::int64_t run);

/// Temporary store of one unit. It lets a worker record with the same code as a local run.
class ScratchStore {
 public:
  [[nodiscard]] static Result<ScratchStore> create();
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] std::int64_t run() const { return run_; }
  /// Returns all records, in trial order.
  [[nodiscard]] Result<std::vector<store::TrialRecord>> records() const {
    return readRecords(store_, run_);
  }

 private:
  ScratchStore(ScratchFolder folder, store::Store store, std::int64_t run)
      : folder_(std::move(folder)), store_(std::move(store)), run_(run) {}

  ScratchFolder folder_;
  store::Store store_;
  std::int64_t run_;
};

/// Sets the node of all records, by its id in the store.
void setNode(std::vector<store::TrialRecord>& records, std::int64_t node);

}  // namespace hone::cluster
