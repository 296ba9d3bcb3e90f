#include "base/process/interrupt.h"

#include <atomic>
#include <csignal>

namespace hone {
namespace {

// Signal handlers can only access globals.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interruptCount = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t toleratedInterrupts = 1;

void onInterrupt(int signal) {
  interruptCount = interruptCount + 1;
  if (interruptCount > toleratedInterrupts) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catchInterrupts() {
  struct sigaction action{};
  action.sa_handler = onInterrupt;
  // No SA_RESTART: a signal must wake a blocked poll.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before{};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard() { toleratedInterrupts = interruptCount + 1; }

InterruptGuard::~InterruptGuard() { toleratedInterrupts = 1; }

bool interrupted() { return interruptCount > 0; }

std::unexpected<Error> interruptedError() {
  return std::unexpected(Error{Fault::interrupted, "interrupted; rerun the command to resume"});
}

}  // namespace hone
