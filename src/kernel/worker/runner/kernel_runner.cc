#include "kernel/worker/runner/kernel_runner.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "base/process/file_rules.h"
#include "kernel/worker/runner/control_page.h"
#include "kernel/worker/runner/runner_faults.h"
#include "kernel/worker/runner/runner_setup.h"
#include "kernel/worker/runner/runner_tensors.h"
#include "kernel/worker/sandbox/sandbox.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kMaxArguments = 24;

/// Pointers and sizes are both passed as 64-bit integers.
using Word = std::uint64_t;

template <std::size_t... Index>
void callWith(void* function, const Word* words, std::index_sequence<Index...> /*count*/) {
  reinterpret_cast<void (*)(decltype(Word{Index})...)>(function)(words[Index]...);
}

template <std::size_t Count>
void callWithCount(void* function, const Word* words) {
  callWith(function, words, std::make_index_sequence<Count>());
}

template <std::size_t... Count>
constexpr auto callTable(std::index_sequence<Count...> /*counts*/) {
  return std::array{&callWithCount<Count>...};
}

constexpr auto kCalls = callTable(std::make_index_sequence<kMaxArguments + 1>());

/// Ends the process without exit handlers, which the kernel may have registered.
[[noreturn]] void end(RunnerExit code) {
  std::fflush(nullptr);
  ::_exit(static_cast<int>(code));
}

std::string readSetup() {
  std::string text;
  std::array<char, 4096> buffer;  // NOLINT(*-member-init): read fills the used part
  for (;;) {
    const ssize_t got = ::read(kRequests, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return text;
    }
  }
}

template <typename Page>
Page* mapPage(int fd, int protection) {
  void* page = ::mmap(nullptr, sizeof(Page), protection, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) {
    end(RunnerExit::setup);
  }
  return static_cast<Page*>(page);
}

/// Stops all threads until the supervisor asks for more; it is the only message to the supervisor.
/// Resumptions by other processes have no effect.
void freeze(const volatile ControlPage& control, volatile StatusPage& status) {
  const std::uint32_t done = status.done + 1;
  status.done = done;
  do {
    ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(::syscall(SYS_gettid)), SIGSTOP);
  } while (control.asked == done);
}

std::vector<std::vector<Word>> resolveCalls(const RunnerSetup& setup,
                                            const std::vector<MappedTensor>& tensors) {
  std::vector<std::vector<Word>> calls;
  for (const std::vector<RunnerWord>& call : setup.calls) {
    std::vector<Word>& words = calls.emplace_back();
    for (const RunnerWord& word : call) {
      if (word.isTensor && word.value >= tensors.size()) {
        end(RunnerExit::setup);
      }
      words.push_back(word.isTensor ? reinterpret_cast<Word>(tensors[word.value].begin)
                                    : word.value);
    }
    if (words.size() > kMaxArguments) {
      end(RunnerExit::setup);
    }
  }
  if (calls.empty()) {
    end(RunnerExit::setup);
  }
  return calls;
}

/// Restricts the process as far as the system allows.
void confine(const RunnerSetup& setup, StatusPage& status) {
  const auto rules = FileRules::create(
      {.readable = {setup.readable.begin(), setup.readable.end()}, .writable = {}});
  status.landlock = rules && rules->enforce() ? 1 : 0;
  status.seccomp = canFilterCalls() ? 1 : 0;
  if (status.seccomp != 0 && !enterSandbox()) {
    end(RunnerExit::setup);
  }
}

void* loadFunction(const RunnerSetup& setup) {
  void* library = ::dlopen(setup.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fputs(::dlerror(), stderr);
    end(RunnerExit::loading);
  }
  void* function = ::dlsym(library, setup.function.c_str());
  if (function == nullptr) {
    end(RunnerExit::function);
  }
  return function;
}

}  // namespace

void runKernel() {
  auto setup = RunnerSetup::decode(readSetup());
  if (!setup) {
    end(RunnerExit::setup);
  }
  const auto* control = mapPage<const volatile ControlPage>(kControl, PROT_READ);
  auto* status = mapPage<StatusPage>(kStatus, PROT_READ | PROT_WRITE);
  const std::vector<MappedTensor> tensors = mapTensors(setup->tensors);
  if (tensors.size() != setup->tensors.size()) {
    end(RunnerExit::setup);
  }
  const std::vector<std::vector<Word>> calls = resolveCalls(*setup, tensors);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  catchFaults(status, tensors);
  confine(*setup, *status);
  freeze(*control, *status);  // ready
  try {
    void* function = loadFunction(*setup);
    freeze(*control, *status);  // loaded
    for (;;) {
      const std::vector<Word>& words = calls[control->call % calls.size()];
      kCalls[words.size()](function, words.data());
      freeze(*control, *status);  // done
    }
  } catch (const std::bad_alloc&) {
    end(RunnerExit::memory);
  } catch (...) {
    end(RunnerExit::exception);
  }
}

}  // namespace hone::kernel
