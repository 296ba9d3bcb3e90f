#include "serve/live_store.h"

#include <sys/stat.h>

#include <chrono>

namespace hone::serve {

LiveStore::LiveStore(std::filesystem::path file) : file_(std::move(file)) {
  using std::chrono::system_clock;
  // Fits the exact integers of JavaScript.
  version_ = system_clock::to_time_t(system_clock::now()) * 1'000'000;
}

Result<void> LiveStore::refresh() {
  struct stat there{};
  const bool exists = ::stat(file_.c_str(), &there) == 0 && there.st_size > 0;
  if (store_ && (!exists || there.st_ino != inode_ || there.st_dev != device_)) {
    store_.reset();
    ++version_;
  }
  if (exists && !store_) {
    store_ = HONE_TRY(store::Store::open(file_, store::Store::Mode::read));
    ++opened_;
    inode_ = there.st_ino;
    device_ = there.st_dev;
    lastSeen_ = HONE_TRY(store_->dataVersion());
    ++version_;
  }
  return {};
}

Result<std::int64_t> LiveStore::version() {
  const std::scoped_lock lock(mutex_);
  HONE_CHECK(refresh());
  if (store_) {
    const std::int64_t seen = HONE_TRY(store_->dataVersion());
    version_ += seen == lastSeen_ ? 0 : 1;
    lastSeen_ = seen;
  }
  return version_;
}

}  // namespace hone::serve
