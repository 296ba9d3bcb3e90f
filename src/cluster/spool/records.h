#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "store/store.h"

namespace hone::cluster {

/// Trials with their samples, for a file.
[[nodiscard]] nlohmann::json toJson(const std::vector<store::TrialRecord>& records);
[[nodiscard]] Result<std::vector<store::TrialRecord>> recordsFrom(const nlohmann::json& json);

/// A store that lives as long as one unit: in it a worker records with the very code that records
/// locally.
class ScratchStore {
 public:
  [[nodiscard]] static Result<ScratchStore> create();
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] std::int64_t run() const { return run_; }
  /// All that was recorded, in the order of the trials.
  [[nodiscard]] Result<std::vector<store::TrialRecord>> records() const;

 private:
  ScratchStore(ScratchFolder folder, store::Store store, std::int64_t run)
      : folder_(std::move(folder)), store_(std::move(store)), run_(run) {}

  ScratchFolder folder_;
  store::Store store_;
  std::int64_t run_;
};

/// Says where all were taken, as the store numbers its nodes.
void setNode(std::vector<store::TrialRecord>& records, std::int64_t node);

}  // namespace hone::cluster
