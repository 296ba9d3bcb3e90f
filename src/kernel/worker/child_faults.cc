#include "kernel/worker/child_faults.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include "kernel/worker/sandbox/sandbox.h"
#include "kernel/worker/worker_pipes.h"

namespace hone::kernel {
namespace {

// Globals, because a signal handler has no other access.
std::atomic<std::uint64_t> currentRequest = 0;  // NOLINT(*-avoid-non-const-global-variables)
std::vector<WatchedTensor>* watched = nullptr;  // NOLINT(*-avoid-non-const-global-variables)

/// A line in a fixed buffer, because a signal handler may not allocate.
class Line {
 public:
  Line& add(std::string_view text) {
    const std::size_t size = std::min(text.size(), text_.size() - used_);
    std::memcpy(text_.data() + used_, text.data(), size);
    used_ += size;
    return *this;
  }
  Line& add(std::uint64_t number) {
    std::array<char, 20> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return add(std::string_view(digits.data() + at, digits.size() - at));
  }
  void write() const {
    [[maybe_unused]] const auto ignored = ::write(kReplies, text_.data(), used_);
  }

 private:
  std::array<char, 512> text_{};
  std::size_t used_ = 0;
};

bool wasWrite([[maybe_unused]] const ucontext_t& context) {
#ifdef __x86_64__
  constexpr unsigned kWriteBit = 2;
  return (static_cast<unsigned>(context.uc_mcontext.gregs[REG_ERR]) & kWriteBit) != 0;
#else
  return false;
#endif
}

/// Adds e.g. "writes past the end of its output C". Returns false for other addresses.
bool describeAccess(Line& line, const std::byte* address, bool write) {
  for (const WatchedTensor& tensor : *watched) {
    if (address < tensor.mapBegin || address >= tensor.mapEnd) {
      continue;
    }
    const bool inside = address >= tensor.begin && address < tensor.end;
    line.add(write ? "writes " : "reads ");
    line.add(inside ? "to " : address < tensor.begin ? "before the start of " : "past the end of ");
    line.add(tensor.isInput ? "its input " : "its output ").add(tensor.name);
    return true;
  }
  return false;
}

void describeSignal(Line& line, int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      line.add("accesses unmapped or misaligned memory");
      return;
    case SIGFPE:
      line.add("divides an integer by zero");
      return;
    case SIGILL:
      line.add("executes an instruction that this processor does not support");
      return;
    case SIGABRT:
      line.add("aborted");
      return;
    default:
      line.add("was killed by signal ").add(static_cast<std::uint64_t>(number));
  }
}

[[noreturn]] void replyWithFault(int number, siginfo_t* info, void* context) {
  Line line;
  line.add(R"({"id":)").add(currentRequest.load()).add(R"(,"ok":false,"kind":")");
  line.add(number == SIGSYS ? "refused" : "run").add(R"(","error":")");
  if (number == SIGSYS) {
    line.add("tried to ").add(describePurpose(info->si_syscall));
  } else if (number != SIGSEGV ||
             !describeAccess(line, static_cast<const std::byte*>(info->si_addr),
                             wasWrite(*static_cast<const ucontext_t*>(context)))) {
    describeSignal(line, number);
  }
  line.add("\"}\n").write();
  ::_exit(1);
}

}  // namespace

void catchFaults() {
  constexpr std::size_t kStack = std::size_t{64} << 10U;
  // The handlers need a separate stack to report a stack overflow.
  void* memory =
      ::mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kStack;
    ::sigaltstack(&stack, nullptr);
  }
  if (watched == nullptr) {
    watched = new std::vector<WatchedTensor>();  // never freed: handlers may run until exit
  }
  struct sigaction action{};
  action.sa_sigaction = replyWithFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS}) {
    ::sigaction(number, &action, nullptr);
  }
}

void watchFaults(WatchedTensor tensor) {
  if (watched != nullptr) {
    watched->push_back(std::move(tensor));
  }
}

void setCurrentRequest(std::uint64_t id) { currentRequest = id; }

}  // namespace hone::kernel
