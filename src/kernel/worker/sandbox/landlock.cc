#include "kernel/worker/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HONE_HAS_LANDLOCK 1
#endif

namespace hone::kernel {

#ifdef HONE_HAS_LANDLOCK

bool readOnlyBelow(const std::vector<std::string>& places) {
  constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kReading;
  // The size of the first ABI version, which older systems accept, too.
  const auto rules = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
  if (rules < 0) {
    return false;
  }
  for (const std::string& place : places) {
    struct stat status{};
    const bool folder = ::stat(place.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    const int end = ::open(place.c_str(), O_PATH | O_CLOEXEC);
    if (end < 0) {
      continue;
    }
    landlock_path_beneath_attr below{};
    below.allowed_access = folder ? kReading : std::uint64_t{LANDLOCK_ACCESS_FS_READ_FILE};
    below.parent_fd = end;
    ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    ::close(end);
  }
  const bool limited = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                       ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return limited;
}

#else

bool readOnlyBelow(const std::vector<std::string>& /*places*/) { return false; }

#endif

}  // namespace hone::kernel
