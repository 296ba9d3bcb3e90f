#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/progress.h"

namespace hone::store {

/// How far the run is that writes the store, in a small file beside it: whoever looks on learns it
/// without a commit for every step. One process writes a store, so there is one file.
[[nodiscard]] std::filesystem::path progressFileOf(const std::filesystem::path& store);

struct RunProgress {
  std::int64_t run = 0;
  ProgressState state;

  bool operator==(const RunProgress&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const RunProgress& progress);

/// Nothing where no run goes on, also when one was killed and left its file.
[[nodiscard]] std::optional<RunProgress> readProgress(const std::filesystem::path& store);

/// Keeps the file while a run goes on: a new stage at once, steps at most once a second. Removes it
/// at the end. That it cannot be written harms no run.
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
