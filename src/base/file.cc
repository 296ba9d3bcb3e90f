#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/hash.h"
#include "base/machine.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"

namespace hone {
namespace {

std::filesystem::path resolveHoneFolder(const char* variable, const char* fallback) {
  if (const char* set = std::getenv(variable); set != nullptr && *set != '\0') {
    return std::filesystem::path(set) / "hone";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/tmp") / fallback / "hone";
}

/// Writes all of `content` to `fd`; returns false with errno set on failure.
bool writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(fd, content.data(), content.size());
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

Result<int> openLockFile(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return errnoError(fmt::format("cannot open the lock file {}", file.string()));
  }
  return fd;
}

/// Returns true if `file` still names the open `fd`; its last holder may have removed it.
bool isStillAt(int fd, const std::filesystem::path& file) {
  struct stat open{};
  struct stat there{};
  return ::fstat(fd, &open) == 0 && ::stat(file.c_str(), &there) == 0 &&
         open.st_ino == there.st_ino && open.st_dev == there.st_dev;
}

/// Returns an identifier of this machine. Machines that share a folder reuse the same pids.
const std::string& machineId() {
  static const std::string id = hashBytes(hostName()).substr(0, 8);
  return id;
}

/// Removes the scratch folders "<prefix>-<machine>-<pid>-XXXXXX" of this machine whose process is
/// gone.
void removeStaleScratch(const std::filesystem::path& parent, std::string_view prefix) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::string begin = fmt::format("{}-{}-", prefix, machineId());
    if (!name.starts_with(begin)) {
      continue;
    }
    const std::string rest = name.substr(begin.size());
    const auto pid = parseInt(rest.substr(0, rest.find('-')));
    if (pid && *pid > 0 && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) {
    return userError("{} is a folder, not a file", file.string());
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return userError("cannot read {}: {}", file.string(), std::strerror(errno));
  }
  std::ostringstream out;
  out << in.rdbuf();
  if (in.bad() || out.bad()) {
    return errnoError(fmt::format("cannot read {}", file.string()));
  }
  return std::move(out).str();
}

Result<void> writeFile(const std::filesystem::path& file, std::string_view content) {
  static std::atomic<unsigned> writes = 0;  // distinct temporary files per thread
  const std::string temporary =
      fmt::format("{}.{}-{}-{}.part", file.string(), machineId(), ::getpid(), ++writes);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    return errnoError(fmt::format("cannot write {}", file.string()));
  }
  bool ok = writeAll(fd, content);
  ok = (::close(fd) == 0) && ok;
  ok = ok && ::rename(temporary.c_str(), file.c_str()) == 0;
  if (!ok) {
    auto error = errnoError(fmt::format("cannot write {}", file.string()));
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Result<void> checkParentFolder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return userError("cannot write {}: no folder {}", file.string(), folder.string());
  }
  return {};
}

Result<void> makeFolder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return machineError("cannot create the folder {}: {}", folder.string(), code.message());
  }
  return {};
}

std::filesystem::path dataFolder() { return resolveHoneFolder("XDG_DATA_HOME", ".local/share"); }
std::filesystem::path cacheFolder() { return resolveHoneFolder("XDG_CACHE_HOME", ".cache"); }

Result<ScratchFolder> ScratchFolder::create(std::string_view prefix) {
  const char* set = std::getenv("TMPDIR");
  const std::filesystem::path parent = set != nullptr && *set != '\0' ? set : "/tmp";
  removeStaleScratch(parent, prefix);
  std::string name =
      (parent / fmt::format("{}-{}-{}-XXXXXX", prefix, machineId(), ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return errnoError(fmt::format("cannot create a scratch folder in {}", parent.string()));
  }
  return ScratchFolder(name);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

Result<FileLock> FileLock::tryLock(const std::filesystem::path& file) {
  const int fd = HONE_TRY(openLockFile(file));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return userError("{} is held by another process", file.string());
  }
  if (!isStillAt(fd, file)) {
    ::close(fd);
    return tryLock(file);
  }
  return FileLock(fd);
}

Result<FileLock> FileLock::waitFor(const std::filesystem::path& file, Share share,
                                   const std::function<void()>& onWait) {
  const int fd = HONE_TRY(openLockFile(file));
  const int kind = share == Share::shared ? LOCK_SH : LOCK_EX;
  if (onWait && ::flock(fd, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    onWait();
  }
  while (::flock(fd, kind) != 0) {
    if (errno != EINTR || interrupted()) {
      auto error = interrupted() ? interruptedError()
                                 : errnoError(fmt::format("cannot lock {}", file.string()));
      ::close(fd);
      return error;
    }
  }
  return FileLock(fd);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

}  // namespace hone
