#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "store/store.h"

namespace hone::serve {

/// A store as it is by now, for any number of threads. It need not be there yet, and it may be
/// replaced by another.
class LiveStore {
 public:
  explicit LiveStore(std::filesystem::path file);

  /// Another number once something was committed, or the store came, went or was replaced. Cheap.
  /// An error: it is there and cannot be read.
  [[nodiscard]] Result<std::int64_t> version();

  /// How many stores there were so far: runs of one have nothing to do with those of the next.
  [[nodiscard]] std::int64_t opened() {
    const std::scoped_lock lock(mutex_);
    return opened_;
  }

  /// What the action reads; nothing while there is no store.
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
  std::int64_t lastSeen_ = 0;  ///< the store's own number
  std::int64_t version_;       ///< begins with the time: no number of an earlier server comes again
};

}  // namespace hone::serve
