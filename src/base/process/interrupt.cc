#include "base/process/interrupt.h"

#include <atomic>
#include <csignal>

namespace hone {
namespace {

// A signal handler can reach nothing but a global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interruptCount = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interruptsBorne = 1;

void onInterrupt(int signal) {
  interruptCount = interruptCount + 1;
  if (interruptCount > interruptsBorne) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catchInterrupts() {
  struct sigaction action{};
  action.sa_handler = onInterrupt;
  // No SA_RESTART: a blocked poll returns, so that the wait ends at once.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before{};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &action, nullptr);
  }
}

InterruptsHeld::InterruptsHeld() { interruptsBorne = interruptCount + 1; }

InterruptsHeld::~InterruptsHeld() { interruptsBorne = 1; }

bool interrupted() { return interruptCount > 0; }

std::unexpected<Error> interruptedError() {
  return std::unexpected(
      Error{Fault::interrupted, "interrupted; the same command goes on from here"});
}

}  // namespace hone
