#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/progress.h"

namespace hone::store {

/// Returns the progress file of a run in `store`. It publishes the progress without a commit per
/// step.
[[nodiscard]] std::filesystem::path progressFilePath(const std::filesystem::path& store,
                                                     std::int64_t run);

struct RunProgress {
  std::int64_t run = 0;
  ProgressState state;

  bool operator==(const RunProgress&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const RunProgress& progress);

/// Returns the progress of the running runs, the oldest run first. Ignores files of killed runs.
[[nodiscard]] std::vector<RunProgress> readProgress(const std::filesystem::path& store);

/// Updates the progress file on every new stage, and at most once per second on steps. Removes it
/// on destruction, unless another process has replaced it. Removes the files of killed runs at the
/// start. Ignores write errors.
class ProgressFile : public ProgressWatcher {
 public:
  ProgressFile(const std::filesystem::path& store, std::int64_t run);
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;
  ~ProgressFile() override;

  void see(const ProgressState& state, bool newStage) override;

 private:
  std::filesystem::path file_;
  std::int64_t run_;
  pid_t owner_;
  std::int64_t lastWriteNs_ = 0;
};

}  // namespace hone::store
