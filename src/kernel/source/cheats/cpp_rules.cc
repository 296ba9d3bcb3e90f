#include "kernel/source/cheats/cpp_rules.h"

#include <algorithm>
#include <array>

namespace hone::kernel {

const std::vector<CppRule>& cppRules() {
  using enum CppForm;
  static const std::vector<CppRule> kRules = {
      {call,
       "starts a process",
       {"fork", "vfork", "_Fork", "popen", "execv", "execve", "execvp", "execl", "execlp", "execle",
        "posix_spawn", "posix_spawnp", "clone", "clone3", "system"}},
      {call, "ends the process", {"exit", "_exit", "_Exit", "quick_exit"}},
      {call, "runs code after it returned", {"atexit", "at_quick_exit", "on_exit"}},
      {call, "loads other code", {"dlopen", "dlmopen", "dlsym", "dlvsym", "dl_iterate_phdr"}},
      {call, "makes system calls directly", {"syscall"}},
      {call,
       "inspects other processes",
       {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open"}},
      {call,
       "reads a clock",
       {"clock_gettime",
        "gettimeofday",
        "timespec_get",
        "clock",
        "time",
        "times",
        "ftime",
        "getrusage",
        "clock_settime",
        "settimeofday",
        "omp_get_wtime",
        "omp_get_wtick",
        "__rdtsc",
        "_rdtsc",
        "__rdtscp",
        "_rdpmc",
        "__builtin_ia32_rdtsc",
        "__builtin_ia32_rdtscp",
        "__builtin_ia32_rdpmc",
        "__builtin_readcyclecounter"}},
      {scope, "reads a clock", {"chrono"}},
      {call,
       "waits",
       {"sleep", "usleep", "nanosleep", "clock_nanosleep", "pause", "sleep_for", "sleep_until"}},
      {call, "sets a timer", {"setitimer", "timer_create", "timerfd_create", "alarm"}},
      {call,
       "handles signals",
       {"signal", "raise", "kill", "sigaction", "sigprocmask", "pthread_sigmask", "siglongjmp",
        "sigsetjmp", "signalfd", "sigaltstack"}},
      {call,
       "creates a thread; use OpenMP instead",
       {"pthread_create", "pthread_detach", "thrd_create", "thrd_detach"}},
      {call,
       "reads or writes files",
       {"fopen", "freopen", "fdopen", "open", "openat", "creat", "read", "write", "close", "pread",
        "pwrite", "unlink", "ioctl", "memfd_create", "shm_open"}},
      {standard, "reads or writes files", {"ifstream", "ofstream", "fstream", "filebuf"}},
      {scope, "reads or writes files", {"filesystem"}},
      {call,
       "uses the network",
       {"socket", "connect", "send", "recv", "getaddrinfo", "gethostbyname"}},
      {call,
       "reads or changes the environment",
       {"getenv", "secure_getenv", "setenv", "putenv", "unsetenv"}},
      {call,
       "changes its process",
       {"prctl", "setpriority", "nice", "sched_setscheduler", "setrlimit", "prlimit", "seccomp",
        "unshare"}},
      {call,
       "changes the protection of memory",
       {"mprotect", "pkey_mprotect", "mremap", "mmap", "munmap"}},
      {call,
       "inspects its caller",
       {"__builtin_return_address", "__builtin_frame_address", "__builtin_thread_pointer",
        "__builtin_apply", "__builtin_apply_args", "backtrace"}},
      {keyword, "inspects its thread", {"__seg_fs", "__seg_gs"}},
      {header,
       "only headers for computing are allowed",
       {"sys/",       "linux/",  "asm/",      "asm-generic/", "net/",    "netinet/",
        "arpa/",      "rpc/",    "unistd.h",  "fcntl.h",      "dlfcn.h", "link.h",
        "signal.h",   "csignal", "spawn.h",   "ucontext.h",   "poll.h",  "dirent.h",
        "execinfo.h", "aio.h",   "mqueue.h",  "pwd.h",        "grp.h",   "netdb.h",
        "ftw.h",      "glob.h",  "wordexp.h", "termios.h"}},
      {text, "names a system resource", {"/proc", "/sys/", "/dev/", "/etc/", "LD_PRELOAD"}},
      {instruction,
       "has assembly that calls the system",
       {"syscall", "sysenter", "int", "svc", "smc", "hvc", "ecall"}},
      {instruction, "has assembly that reads a clock", {"rdtsc", "rdtscp", "rdpmc", "mrs"}},
      {instruction,
       "has assembly that inspects its thread",
       {"rdfsbase", "rdgsbase", "wrfsbase", "wrgsbase", "wrpkru", "xrstor"}},
      {attribute,
       "runs code before it is called",
       {"constructor", "destructor", "ifunc", "init_priority"}},
      {attribute, "places code or data in another section", {"section"}},
      {pragma,
       "has a pragma that reads files or renames symbols",
       {"pch_preprocess", "dependency", "redefine_extname", "system_header"}},
  };
  return kRules;
}

const CppRule* findCppRule(CppForm form, std::string_view name) {
  for (const CppRule& rule : cppRules()) {
    if (rule.form != form) {
      continue;
    }
    const bool found = std::ranges::any_of(rule.names, [&](std::string_view one) {
      const bool folder = form == CppForm::header && one.ends_with('/');
      return folder ? name.starts_with(one) : name == one;
    });
    if (found) {
      return &rule;
    }
  }
  return nullptr;
}

bool isAllowedAssemblerDirective(std::string_view name) {
  constexpr auto kAllowed = std::to_array<std::string_view>(
      {".align", ".balign", ".p2align", ".loc", ".att_syntax", ".intel_syntax"});
  return name.starts_with(".L") || std::ranges::find(kAllowed, name) != kAllowed.end();
}

}  // namespace hone::kernel
