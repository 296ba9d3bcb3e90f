#include "store/run_locks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/process/interrupt.h"

namespace hone::store {
namespace {

/// The byte that exclusively() locks; runs count from 1.
constexpr std::int64_t kGate = 0;

struct flock byteLock(short kind, std::int64_t byte) {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

}  // namespace

Result<RunLocks> RunLocks::open(const std::filesystem::path& file) {
  return RunLocks(HONE_TRY(openLockFile(file)));
}

RunLocks::RunLocks(RunLocks&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RunLocks::~RunLocks() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<void> RunLocks::exclusively(const std::function<Result<void>()>& action) const {
  struct flock lock = byteLock(F_WRLCK, kGate);
  while (::fcntl(fd_, F_OFD_SETLKW, &lock) != 0) {
    if (interrupted()) {
      return interruptedError();
    }
    if (errno != EINTR) {
      return errnoError("cannot lock the store");
    }
  }
  auto result = action();
  lock.l_type = F_UNLCK;
  static_cast<void>(::fcntl(fd_, F_OFD_SETLK, &lock));
  return result;
}

bool RunLocks::tryClaim(std::int64_t run) const {
  struct flock lock = byteLock(F_WRLCK, run);
  // A file system without locks has no other user of the store that could be detected.
  return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool RunLocks::isClaimed(std::int64_t run) const {
  struct flock lock = byteLock(F_WRLCK, run);
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace hone::store
