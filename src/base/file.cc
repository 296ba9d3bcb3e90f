#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/hash.h"
#include "base/machine.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"

namespace hone {
namespace {

Result<std::filesystem::path> resolveHoneFolder(const char* variable, const char* fallback) {
  if (const char* set = std::getenv(variable); set != nullptr && *set != '\0') {
    return std::filesystem::path(set) / "hone";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return machineError("HOME is not set; set it, or set {} to a folder", variable);
  }
  return std::filesystem::path(home) / fallback / "hone";
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

/// Returns an identifier of this machine. Machines that share a folder reuse the same pids.
const std::string& machineId() {
  static const std::string id = hashBytes(hostName()).substr(0, 8);
  return id;
}

/// Opens an existing file; a signal ends the wait for the other end of a pipe.
Result<int> openFile(const std::filesystem::path& file, int flags) {
  int fd = -1;
  do {
    fd = ::open(file.c_str(), flags | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR && !interrupted());
  if (fd < 0 && interrupted()) {
    return interruptedError();
  }
  return fd;
}

/// Returns true for a device whose contents end and that is not a disk: /dev/null or a terminal.
bool isFiniteDevice(int fd, const struct stat& status) {
  return S_ISCHR(status.st_mode) && (status.st_rdev == makedev(1, 3) || ::isatty(fd) != 0);
}

/// Waits until another process writes to a pipe, and then makes reads of it wait. Returns the first
/// byte, if there already is one; fails with a user error if no process opens the pipe for writing.
Result<std::string> awaitWriter(int fd, const std::filesystem::path& file) {
  constexpr int kPollMs = 50;
  constexpr int kMaxPolls = 100;
  for (int i = 0; i < kMaxPolls && !interrupted(); ++i) {
    char first = 0;
    const ssize_t got = ::read(fd, &first, 1);
    if (got > 0 || (got < 0 && errno != EINTR)) {  // EAGAIN: a process may write
      ::fcntl(fd, F_SETFL, 0);
      return std::string(got > 0 ? 1 : 0, first);
    }
    pollfd end{fd, POLLIN, 0};
    if (::poll(&end, 1, kPollMs) > 0 && (end.revents & POLLIN) == 0) {
      return std::string();  // a process closed it without writing
    }
  }
  return interrupted() ? interruptedError()
                       : userError("cannot read {}: it is a pipe, and no process writes to it",
                                   file.string());
}

/// Reads until the end of the file; a signal ends the wait for a pipe.
Result<std::string> readAll(int fd, const struct stat& status, const std::filesystem::path& file) {
  // One byte more than expected, so that the first read() of a regular file also finds its end.
  constexpr std::size_t kStep = 65536;
  std::string content;
  if (S_ISFIFO(status.st_mode)) {
    content = HONE_TRY(awaitWriter(fd, file));
  }
  std::size_t used = content.size();
  content.resize(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : kStep);
  while (true) {
    const ssize_t got = ::read(fd, content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR && !interrupted()) {
      continue;
    }
    if (got < 0) {
      return interrupted() ? interruptedError()
                           : errnoError(fmt::format("cannot read {}", file.string()));
    }
    used += static_cast<std::size_t>(got);
    if (got == 0) {
      content.resize(used);
      return content;
    }
    if (used == content.size()) {
      content.resize(used * 2);
    }
  }
}

/// Place to which a file is written.
struct Destination {
  std::filesystem::path file;  ///< with all links followed
  int stream = -1;             ///< number of an open stream of this process, e.g. of /dev/stdout
  bool replaceable = true;     ///< false for devices and pipes, which are written to
  mode_t mode = 0644;          ///< of the existing file
};

/// Follows the links at the end of a path. Stops at /proc, whose links name open streams.
Destination findDestination(const std::filesystem::path& file) {
  constexpr int kMaxLinks = 40;
  Destination destination{.file = file};
  std::error_code code;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(destination.file, code); ++i) {
    const auto folder = std::filesystem::canonical(
        destination.file.has_parent_path() ? destination.file.parent_path() : ".", code);
    if (folder.string().starts_with("/proc/")) {
      const bool own = folder == fmt::format("/proc/{}/fd", ::getpid());
      const auto stream = parseInt(destination.file.filename().string());
      destination.stream = own ? static_cast<int>(stream.value_or(-1)) : -1;
      destination.replaceable = false;
      return destination;
    }
    destination.file = folder / std::filesystem::read_symlink(destination.file, code);
  }
  struct stat status{};
  if (::stat(destination.file.c_str(), &status) == 0) {
    destination.replaceable = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
    destination.mode = status.st_mode & 07777U;
  }
  return destination;
}

/// Writes to an open stream of this process, a device or a pipe.
Result<void> writeInPlace(const Destination& destination, std::string_view content) {
  std::fflush(nullptr);  // keeps the order on streams that this process also prints to
  const bool opened = destination.stream < 0;
  const int fd =
      opened ? HONE_TRY(openFile(destination.file, O_WRONLY | O_NOCTTY)) : destination.stream;
  const bool ok = fd >= 0 && writeAll(fd, content);
  const auto error = errnoError(fmt::format("cannot write {}", destination.file.string()));
  if (opened && fd >= 0) {
    ::close(fd);
  }
  return ok ? Result<void>() : error;
}

enum class Durability : std::uint8_t { scratch, durable };

/// Writes a temporary file beside the destination and renames it.
Result<void> replaceFile(const Destination& destination, std::string_view content,
                         Durability durability) {
  static std::atomic<unsigned> writes = 0;  // distinct temporary files per thread
  const std::string name = destination.file.string();
  const std::string temporary =
      fmt::format("{}.{}-{}-{}.part", name, machineId(), ::getpid(), ++writes);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                        destination.mode);
  if (fd < 0) {
    return errnoError(fmt::format("cannot write {}", name));
  }
  bool ok = writeAll(fd, content);
  // A rename may reach the disk before the contents, and leave an empty file after a crash.
  ok = ok && (durability == Durability::scratch || ::fsync(fd) == 0 || errno == EINVAL);
  const int failure = errno;
  const bool closed = ::close(fd) == 0;
  errno = ok ? errno : failure;
  ok = ok && closed && ::rename(temporary.c_str(), name.c_str()) == 0;
  if (!ok) {
    auto error = errnoError(fmt::format("cannot write {}", name));
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

/// Returns true if `file` still names the open `fd`; its last holder may have removed it.
bool isStillAt(int fd, const std::filesystem::path& file) {
  struct stat open{};
  struct stat there{};
  return ::fstat(fd, &open) == 0 && ::stat(file.c_str(), &there) == 0 &&
         open.st_ino == there.st_ino && open.st_dev == there.st_dev;
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

Result<int> openLockFile(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0 && errno == ELOOP) {
    return machineError("cannot open the lock file {}: it is a symbolic link; remove it",
                        file.string());
  }
  if (fd < 0) {
    return errnoError(fmt::format("cannot open the lock file {}", file.string()));
  }
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return machineError("cannot open the lock file {}: it is not a regular file; remove it",
                        file.string());
  }
  return fd;
}

Result<std::string> readFile(const std::filesystem::path& file) {
  // Otherwise it would wait for the other end of a pipe without limit.
  const int fd = HONE_TRY(openFile(file, O_RDONLY | O_NOCTTY | O_NONBLOCK));
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    return userError("cannot read {}: {}", file.string(), std::strerror(errno));
  }
  if (!S_ISFIFO(status.st_mode)) {
    ::fcntl(fd, F_SETFL, 0);  // a terminal waits for input
  }
  Result<std::string> content;
  if (S_ISDIR(status.st_mode)) {
    content = userError("{} is a folder, not a file", file.string());
  } else if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || isFiniteDevice(fd, status)) {
    content = readAll(fd, status, file);
  } else {
    content = userError("{} is a device, not a file", file.string());
  }
  ::close(fd);
  return content;
}

Result<void> writeFile(const std::filesystem::path& file, std::string_view content) {
  const Destination destination = findDestination(file);
  return destination.replaceable ? replaceFile(destination, content, Durability::durable)
                                 : writeInPlace(destination, content);
}

Result<void> writeScratchFile(const std::filesystem::path& file, std::string_view content) {
  return replaceFile({.file = file}, content, Durability::scratch);
}

Result<void> checkParentFolder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return userError("cannot write {}: folder {} does not exist", file.string(), folder.string());
  }
  if (std::filesystem::is_directory(file, ignored)) {
    return userError("cannot write {}: it is a folder", file.string());
  }
  if (file.empty() || std::filesystem::exists(file, ignored)) {
    return {};  // maybe a device; writing it needs no other file
  }
  const std::string probe = fmt::format("{}.{}-{}.part", file.string(), machineId(), ::getpid());
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return userError("cannot write {}: {}", file.string(), std::strerror(errno));
  }
  ::close(fd);
  ::unlink(probe.c_str());
  return {};
}

bool isBelow(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code code;
  const auto whole = std::filesystem::weakly_canonical(file, code);
  const auto root = std::filesystem::weakly_canonical(folder, code);
  return !code &&
         std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first == root.end();
}

Result<void> makeFolder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return machineError("cannot create the folder {}: {}", folder.string(), code.message());
  }
  return {};
}

Result<std::filesystem::path> dataFolder() {
  return resolveHoneFolder("XDG_DATA_HOME", ".local/share");
}
Result<std::filesystem::path> cacheFolder() {
  return resolveHoneFolder("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path temporaryFolder() {
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

Result<ScratchFolder> ScratchFolder::create(std::string_view prefix) {
  const std::filesystem::path parent = temporaryFolder();
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

void FileLock::note(std::string_view text) const {
  if (::ftruncate(fd_, 0) == 0) {
    ::lseek(fd_, 0, SEEK_SET);
    static_cast<void>(writeAll(fd_, text));
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

}  // namespace hone
