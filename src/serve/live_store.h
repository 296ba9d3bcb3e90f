#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "store/store.h"

namespace hone::serve {

/// Thread-safe read access to a store that may not exist yet and may be replaced by another.
class LiveStore {
 public:
  explicit LiveStore(std::filesystem::path file);

  /// Returns a number that changes on every commit and when the store is created, removed or
  /// replaced. Cheap. Fails if the store exists but cannot be read.
  [[nodiscard]] Result<std::int64_t> version();

  /// Returns the number of stores opened so far. Runs of different stores are unrelated.
  [[nodiscard]] std::int64_t opened() {
    const std::scoped_lock lock(mutex_);
    return opened_;
  }

  /// Runs `action` on the store; returns an empty value if there is no store.
  template <typename Action>
  auto read(Action&& action) -> decltype(action(std::declval<const store::Store&>())) {
    const std::scoped_lock lock(mutex_);
    HONE_CHECK(refresh());
    if (!store_) {
      return {};
    }
    return action(*store_);
  }

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  [[nodiscard]] Result<void> refresh();

  std::filesystem::path file_;
  std::mutex mutex_;
  std::optional<store::Store> store_;
  ino_t inode_ = 0;
  dev_t device_ = 0;
  std::int64_t opened_ = 0;
  std::int64_t lastSeen_ = 0;  ///< Store::dataVersion()
  std::int64_t version_;       ///< starts at the current time, to differ from earlier servers
};

}  // namespace hone::serve
