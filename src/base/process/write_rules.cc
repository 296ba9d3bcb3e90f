#include "base/process/write_rules.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HONE_HAS_LANDLOCK_RULES 1
#endif

namespace hone {

#ifdef HONE_HAS_LANDLOCK_RULES

namespace {

/// Rights of later versions of Landlock, which the headers may lack.
constexpr std::uint64_t kMoveBetweenFolders = std::uint64_t{1} << 13U;  // version 2
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14U;            // version 3

constexpr std::uint64_t kChangeFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kChangeFolder =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// Returns all rights to change files that this system can restrict; 0 if it has no Landlock.
std::uint64_t restrictableRights() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U /* VERSION */);
  if (version < 1) {
    return 0;
  }
  return kChangeFile | kChangeFolder | (version >= 2 ? kMoveBetweenFolders : 0) |
         (version >= 3 ? kTruncate : 0);
}

void allow(int rules, const char* place, std::uint64_t rights) {
  const int end = ::open(place, O_PATH | O_CLOEXEC);
  if (end < 0) {
    return;
  }
  struct stat status{};
  const bool folder = ::fstat(end, &status) == 0 && S_ISDIR(status.st_mode);
  landlock_path_beneath_attr below{};
  below.allowed_access = folder ? rights : rights & (kChangeFile | kTruncate);
  below.parent_fd = end;
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  ::close(end);
}

}  // namespace

std::optional<WriteRules> WriteRules::below(std::span<const std::filesystem::path> folders) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = restrictableRights();
  if (handled.handled_access_fs == 0) {
    return std::nullopt;
  }
  // The size of the first version, which older systems accept, too.
  WriteRules rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0)));
  if (rules.rules_ < 0) {
    return std::nullopt;
  }
  for (const std::filesystem::path& folder : folders) {
    allow(rules.rules_, folder.c_str(), handled.handled_access_fs);
  }
  // Drivers open their devices for writing.
  allow(rules.rules_, "/dev", handled.handled_access_fs & (kChangeFile | kTruncate));
  allow(rules.rules_, "/dev/shm", handled.handled_access_fs);
  return rules;
}

bool WriteRules::enforce() const {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
}

#else

std::optional<WriteRules> WriteRules::below(std::span<const std::filesystem::path> /*folders*/) {
  return std::nullopt;
}

bool WriteRules::enforce() const { return false; }

#endif

WriteRules::~WriteRules() {
  if (rules_ >= 0) {
    ::close(rules_);
  }
}

}  // namespace hone
