#include "kernel/judge/system_defences.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "base/process/file_rules.h"
#include "base/text/text.h"
#include "kernel/worker/sandbox/sandbox.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

/// Returns true if a child can enter new namespaces.
bool canUnshare(int flags) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(::unshare(flags) == 0 ? 0 : 1);
  }
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Returns the contents of a file of /proc or /sys; `missing` if there is none.
std::string readSetting(const fs::path& file, const std::string& missing) {
  const auto text = readFile(file);
  return text ? std::string(trim(*text)) : missing;
}

SystemDefence checkLandlock() {
  const int version = FileRules::version();
  const std::string more = version >= 6   ? ": files, TCP, signals"
                           : version >= 4 ? ": files, TCP"
                                          : ": files";
  return {"Landlock", version > 0,
          version > 0 ? fmt::format("version {}{}", version, more) : "none",
          "hides files from kernels and from their compiler"};
}

SystemDefence checkSeccomp() {
  std::uint32_t notify = SECCOMP_RET_USER_NOTIF;
  const bool notifies = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &notify) == 0;
  const bool filters = canFilterCalls();
  return {"seccomp", filters,
          !filters   ? "none"
          : notifies ? "filters, with notifications"
                     : "filters",
          "stops forbidden system calls"};
}

SystemDefence checkTracing() {
  const std::string scope =
      readSetting("/proc/sys/kernel/yama/ptrace_scope", "no Yama: any process of this user");
  return {"ptrace scope", parseInt(scope).value_or(0) > 0, scope,
          "keeps other processes of this user from reading the judge"};
}

SystemDefence checkCounters() {
  const std::string level =
      readSetting("/proc/sys/kernel/perf_event_paranoid", "no performance events");
  return {"performance events", parseInt(level).value_or(4) <= 2, "level " + level,
          "count the work of a kernel from outside"};
}

SystemDefence checkTimeStampCounter() {
  int mode = 0;
  const bool controlled = ::prctl(PR_GET_TSC, &mode) == 0;
  return {"time stamp counter control", controlled, controlled ? "yes" : "no",
          "can forbid instructions that read a clock"};
}

}  // namespace

std::vector<SystemDefence> systemDefences() {
  utsname kernelName{};
  ::uname(&kernelName);
  const bool user = canUnshare(CLONE_NEWUSER);
  const bool network = canUnshare(CLONE_NEWUSER | CLONE_NEWNET);
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (handle >= 0) {
    ::close(handle);
  }
  return {checkSeccomp(),
          checkLandlock(),
          {"user namespaces", user, user ? "yes" : "forbidden", "needed for network namespaces"},
          {"network namespaces", network, network ? "yes" : "forbidden",
           "remove the network of kernels"},
          checkTracing(),
          {"process handles", handle >= 0, handle >= 0 ? "yes" : "needs Linux 5.3",
           "signal the right process"},
          checkCounters(),
          checkTimeStampCounter(),
          {"Linux", true, kernelName.release, ""}};
}

}  // namespace hone::kernel
