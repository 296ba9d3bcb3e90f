#include "kernel/worker/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace hone::kernel {
namespace {

#ifdef __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elifdef __aarch64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kTrap = SECCOMP_RET_TRAP;
constexpr std::uint32_t failWith(int code) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(code);
}

/// Returns the offset of the low half of an argument of the system call.
constexpr std::uint32_t argument(std::uint32_t index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + index * 8;
}

/// Values that an argument of a system call may have.
struct Values {
  std::uint32_t index;
  std::span<const std::uint32_t> allowed;
};

/// A seccomp filter as a list of rules; the first matching rule decides.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless(BPF_JEQ, kArchitecture, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    constexpr std::uint32_t kX32 = 0x40000000U;
    when(BPF_JGE, kX32, SECCOMP_RET_KILL_PROCESS);
#endif
  }
  void always(std::initializer_list<long> calls, std::uint32_t verdict) {
    for (const long call : calls) {
      when(BPF_JEQ, static_cast<std::uint32_t>(call), verdict);
    }
  }
  /// Returns `fitting` if the argument is one of the values, otherwise `other`.
  void byValue(long call, std::uint32_t index, std::span<const std::uint32_t> values,
               std::uint32_t fitting, std::uint32_t other) {
    forCall(call, values.size() * 2 + 2);
    load(argument(index));
    for (const std::uint32_t value : values) {
      when(BPF_JEQ, value, fitting);
    }
    emit(other);
  }
  /// Returns `fitting` if both arguments have one of their values, otherwise `other`.
  void byTwoValues(long call, const Values& first, const Values& second, std::uint32_t fitting,
                   std::uint32_t other) {
    // load, one jump per value, verdict; the same again; verdict
    forCall(call, first.allowed.size() + second.allowed.size() + 5);
    load(argument(first.index));
    unlessAnyOf(first.allowed, other);
    load(argument(second.index));
    unlessAnyOf(second.allowed, other);
    emit(fitting);
  }
  /// Returns `set` if any of the bits is set in the argument, otherwise `clear`.
  void byBits(long call, std::uint32_t index, std::uint32_t bits, std::uint32_t set,
              std::uint32_t clear) {
    forCall(call, 4);
    load(argument(index));
    when(BPF_JSET, bits, set);
    emit(clear);
  }
  [[nodiscard]] bool install(std::uint32_t otherwise) {
    emit(otherwise);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
           0;
  }

 private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void emit(std::uint32_t verdict) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
  void when(unsigned short how, std::uint32_t value, std::uint32_t verdict) {
    code_.push_back(BPF_JUMP(static_cast<unsigned short>(BPF_JMP | how | BPF_K), value, 0, 1));
    emit(verdict);
  }
  void unless(unsigned short how, std::uint32_t value, std::uint32_t verdict) {
    code_.push_back(BPF_JUMP(static_cast<unsigned short>(BPF_JMP | how | BPF_K), value, 1, 0));
    emit(verdict);
  }
  /// Returns `verdict` unless the loaded argument is one of the values.
  void unlessAnyOf(std::span<const std::uint32_t> values, std::uint32_t verdict) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto rest = static_cast<unsigned char>(values.size() - i);
      code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], rest, 0));
    }
    emit(verdict);
  }
  /// Runs the next `length` instructions only for this system call; they must decide.
  void forCall(long call, std::size_t length) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0,
                             static_cast<unsigned char>(length)));
  }

  std::vector<sock_filter> code_;
};

/// Allows computing, threads, memory and loading libraries.
void allowHarmless(Filter& filter) {
  filter.always({SYS_close,
                 SYS_fstat,
                 SYS_newfstatat,
                 SYS_lseek,
                 SYS_munmap,
                 SYS_mprotect,
                 SYS_brk,
                 SYS_mremap,
                 SYS_madvise,
                 SYS_futex,
                 SYS_set_robust_list,
                 SYS_rseq,
                 SYS_rt_sigprocmask,
                 SYS_rt_sigreturn,
                 SYS_sigaltstack,
                 SYS_sched_yield,
                 SYS_sched_getaffinity,
                 SYS_exit,
                 SYS_exit_group,
                 SYS_gettid,
                 SYS_getpid,
                 SYS_clock_gettime,
                 SYS_clock_getres,
                 SYS_clock_nanosleep,
                 SYS_nanosleep,
                 SYS_getrandom,
                 SYS_sysinfo,
                 SYS_uname,
                 SYS_getcpu,
                 SYS_getrusage,
                 SYS_readlinkat,
                 SYS_faccessat,
                 SYS_faccessat2,
                 SYS_read,
                 SYS_pread64,
                 SYS_mmap,
                 SYS_getdents64,
                 SYS_restart_syscall,
                 SYS_set_tid_address,
                 SYS_membarrier},
                kAllow);
#ifdef __x86_64__
  filter.always(
      {SYS_arch_prctl, SYS_readlink, SYS_access, SYS_stat, SYS_lstat, SYS_time, SYS_gettimeofday},
      kAllow);
#endif
  // glibc falls back to clone, whose flags the filter can check.
  filter.always({SYS_clone3}, failWith(ENOSYS));
  filter.byBits(SYS_clone, 0, CLONE_THREAD, kAllow, kTrap);
}

void allowPartly(Filter& filter) {
  constexpr std::array<std::uint32_t, 2> kOutputs = {STDOUT_FILENO, STDERR_FILENO};
  filter.byValue(SYS_write, 0, kOutputs, kAllow, kTrap);
  filter.byValue(SYS_writev, 0, kOutputs, kAllow, kTrap);
  // Signals of the thread library.
  constexpr std::array<std::uint32_t, 2> kLibrarySignals = {32, 33};
  filter.byValue(SYS_rt_sigaction, 0, kLibrarySignals, kAllow, kTrap);
  // Stopping, aborting and the thread library; SIGCONT could undo a stop.
  constexpr std::array<std::uint32_t, 4> kOwnSignals = {SIGSTOP, SIGABRT, 32, 33};
  const std::array<std::uint32_t, 1> self = {static_cast<std::uint32_t>(::getpid())};
  filter.byTwoValues(SYS_tgkill, {0, self}, {2, kOwnSignals}, kAllow, kTrap);
  // Reading a limit is harmless, changing it is not.
  filter.byBits(SYS_prlimit64, 2, ~0U, failWith(EPERM), kAllow);
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  filter.byBits(SYS_openat, 2, kWriting, kTrap, kAllow);
#ifdef __x86_64__
  filter.byBits(SYS_open, 1, kWriting, kTrap, kAllow);
#endif
}

struct Purpose {
  long call;
  std::string_view words;
};

/// Calls that no kernel makes by accident.
constexpr auto kForbidden = std::to_array<Purpose>({
    {SYS_clone, "start a process"},
    {SYS_execve, "start a program"},
    {SYS_execveat, "start a program"},
    {SYS_openat, "open a file for writing"},
    {SYS_write, "write to a file"},
    {SYS_writev, "write to a file"},
    {SYS_pwrite64, "write to a file"},
    {SYS_unlinkat, "remove a file"},
    {SYS_renameat2, "rename a file"},
    {SYS_mkdirat, "create a folder"},
    {SYS_linkat, "link a file"},
    {SYS_symlinkat, "link a file"},
    {SYS_truncate, "truncate a file"},
    {SYS_ftruncate, "truncate a file"},
    {SYS_memfd_create, "create a file"},
    {SYS_socket, "use the network"},
    {SYS_socketpair, "use the network"},
    {SYS_connect, "use the network"},
    {SYS_bind, "use the network"},
    {SYS_sendto, "use the network"},
    {SYS_sendmsg, "use the network"},
    {SYS_kill, "signal a process"},
    {SYS_tkill, "signal a process"},
    {SYS_tgkill, "signal a process"},
    {SYS_ptrace, "inspect a process"},
    {SYS_process_vm_readv, "inspect a process"},
    {SYS_process_vm_writev, "inspect a process"},
    {SYS_rt_sigaction, "set a signal handler"},
    {SYS_setitimer, "set a timer"},
    {SYS_timer_create, "set a timer"},
    {SYS_prctl, "change its process"},
    {SYS_unshare, "change its process"},
    {SYS_setns, "change its process"},
    {SYS_mount, "mount a file system"},
    {SYS_io_uring_setup, "use io_uring"},
    {SYS_bpf, "load a program into the kernel"},
#ifdef __x86_64__
    {SYS_fork, "start a process"},
    {SYS_vfork, "start a process"},
    {SYS_open, "open a file for writing"},
    {SYS_creat, "open a file for writing"},
    {SYS_unlink, "remove a file"},
    {SYS_rmdir, "remove a folder"},
    {SYS_rename, "rename a file"},
    {SYS_renameat, "rename a file"},
    {SYS_mkdir, "create a folder"},
    {SYS_link, "link a file"},
    {SYS_symlink, "link a file"},
    {SYS_alarm, "set a timer"},
#endif
});

}  // namespace

bool canFilterCalls() {
  std::uint32_t action = kTrap;
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool enterSandbox() {
  Filter filter;
  allowHarmless(filter);
  allowPartly(filter);
  for (const Purpose& purpose : kForbidden) {
    filter.always({purpose.call}, kTrap);
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter.install(failWith(EPERM));
}

std::string_view describePurpose(int systemCall) {
  for (const Purpose& purpose : kForbidden) {
    if (purpose.call == systemCall) {
      return purpose.words;
    }
  }
  return "use a forbidden system call";
}

}  // namespace hone::kernel
