#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/progress.h"

namespace hone::store {

/// Returns the progress file of `store`. It publishes the progress of the writing run without a
/// commit per step. A store has one writer, hence one file.
[[nodiscard]] std::filesystem::path progressFilePath(const std::filesystem::path& store);

struct RunProgress {
  std::int64_t run = 0;
  ProgressState state;

  bool operator==(const RunProgress&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const RunProgress& progress);

/// Returns the progress of the running run, or nullopt if there is none. Ignores the file of a
/// killed run.
[[nodiscard]] std::optional<RunProgress> readProgress(const std::filesystem::path& store);

/// Updates the progress file: on every new stage, and on steps at most once per second. Removes it
/// on destruction, unless another process has replaced it. Write errors are ignored.
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
