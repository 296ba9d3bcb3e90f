#include "base/process/file_rules.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

namespace hone {
namespace {

namespace fs = std::filesystem;

// The interface of Linux 6.12. Headers of older systems lack parts of it.
#ifdef SYS_landlock_create_ruleset
constexpr long kCreate = SYS_landlock_create_ruleset;
constexpr long kAdd = SYS_landlock_add_rule;
constexpr long kRestrict = SYS_landlock_restrict_self;
#else
constexpr long kCreate = 444;
constexpr long kAdd = 445;
constexpr long kRestrict = 446;
#endif
constexpr unsigned kAskVersion = 1;
constexpr int kBelowPath = 1;

struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

struct __attribute__((packed)) BelowPath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadFolder = 1U << 3U;
constexpr std::uint64_t kTruncate = 1U << 14U;
constexpr std::uint64_t kDeviceControl = 1U << 15U;
/// Rights that apply to files; the others are rights of folders.
constexpr std::uint64_t kOnFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;
constexpr std::uint64_t kReading = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kChanging = ~(kReading | kDeviceControl);

/// Returns all rights on files that a version of the interface knows.
std::uint64_t knownRights(int version) {
  constexpr std::uint64_t kFirst = (1U << 13U) - 1;
  constexpr std::uint64_t kRefer = 1U << 13U;
  return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kDeviceControl : 0);
}

void allow(int rules, const fs::path& place, std::uint64_t rights) {
  const int parent = ::open(place.c_str(), O_PATH | O_CLOEXEC);
  if (parent < 0) {
    return;
  }
  std::error_code code;
  const BelowPath below{.allowed = fs::is_directory(place, code) ? rights : rights & kOnFiles,
                        .parent = parent};
  ::syscall(kAdd, rules, kBelowPath, &below, 0);
  ::close(parent);
}

}  // namespace

int FileRules::version() {
  const long version = ::syscall(kCreate, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

std::optional<FileRules> FileRules::create(const FileAccess& access) {
  const int offered = version();
  if (offered == 0) {
    return std::nullopt;
  }
  constexpr std::uint64_t kBindAndConnect = 3;
  constexpr std::uint64_t kSocketsAndSignals = 3;
  const RulesetAttributes handled{.files = knownRights(offered),
                                  .network = offered >= 4 ? kBindAndConnect : 0,
                                  .scopes = offered >= 6 ? kSocketsAndSignals : 0};
  const std::size_t members = offered >= 6 ? 3 : offered >= 4 ? 2 : 1;
  const auto rules =
      static_cast<int>(::syscall(kCreate, &handled, members * sizeof(std::uint64_t), 0));
  if (rules < 0) {
    return std::nullopt;
  }
  for (const fs::path& place : access.readable) {
    allow(rules, place, kReading);
  }
  for (const fs::path& place : access.writable) {
    allow(rules, place, handled.files);
  }
  return FileRules(rules);
}

std::optional<FileRules> FileRules::changeOnlyBelow(std::span<const fs::path> folders) {
  const int offered = version();
  if (offered == 0) {
    return std::nullopt;
  }
  const RulesetAttributes handled{.files = knownRights(offered) & kChanging};
  const auto rules =
      static_cast<int>(::syscall(kCreate, &handled, sizeof handled.files, 0));  // the first version
  if (rules < 0) {
    return std::nullopt;
  }
  for (const fs::path& folder : folders) {
    allow(rules, folder, handled.files);
  }
  // Drivers open their devices for writing.
  allow(rules, "/dev", handled.files & kOnFiles);
  allow(rules, "/dev/shm", handled.files);
  return FileRules(rules);
}

bool FileRules::enforce() const {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(kRestrict, descriptor_, 0) == 0;
}

FileRules::FileRules(FileRules&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileRules& FileRules::operator=(FileRules&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileRules::~FileRules() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace hone
