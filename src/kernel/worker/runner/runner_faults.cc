#include "kernel/worker/runner/runner_faults.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace hone::kernel {
namespace {

// Globals, because a signal handler has no other access.
StatusPage* faultStatus = nullptr;                  // NOLINT(*-avoid-non-const-global-variables)
std::vector<MappedTensor>* faultTensors = nullptr;  // NOLINT(*-avoid-non-const-global-variables)

bool wasWrite([[maybe_unused]] const ucontext_t& context) {
#ifdef __x86_64__
  constexpr unsigned kWriteBit = 2;
  return (static_cast<unsigned>(context.uc_mcontext.gregs[REG_ERR]) & kWriteBit) != 0;
#else
  return false;
#endif
}

void recordAccess(const std::byte* address, FaultNumbers& fault) {
  for (std::size_t i = 0; i < faultTensors->size(); ++i) {
    const MappedTensor& tensor = (*faultTensors)[i];
    if (address >= tensor.mapBegin && address < tensor.mapEnd) {
      fault.tensor = static_cast<std::uint32_t>(i + 1);
      fault.side = static_cast<std::uint32_t>(address < tensor.begin ? AccessSide::before
                                              : address < tensor.end ? AccessSide::inside
                                                                     : AccessSide::after);
      return;
    }
  }
}

[[noreturn]] void endWithFault(int number, siginfo_t* info, void* context) {
  FaultNumbers& fault = faultStatus->fault;
  fault = {};
  fault.signal = static_cast<std::uint32_t>(number);
  if (number == SIGSYS) {
    fault.systemCall = static_cast<std::uint32_t>(info->si_syscall);
  } else if (number == SIGSEGV) {
    fault.write = wasWrite(*static_cast<const ucontext_t*>(context)) ? 1 : 0;
    recordAccess(static_cast<const std::byte*>(info->si_addr), fault);
  }
  ::_exit(static_cast<int>(RunnerExit::fault));
}

}  // namespace

void catchFaults(StatusPage* status, std::vector<MappedTensor> tensors) {
  faultStatus = status;
  faultTensors = new std::vector<MappedTensor>(std::move(tensors));  // until the process ends
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
  struct sigaction action{};
  action.sa_sigaction = endWithFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS}) {
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace hone::kernel
