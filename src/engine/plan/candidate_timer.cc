#include "engine/plan/candidate_timer.h"

#include <atomic>

#include "base/clock.h"
#include "engine/machine_lock.h"

namespace hone::engine {
namespace {

std::atomic<std::int64_t>& candidatesNs() {
  static std::atomic<std::int64_t> total = 0;
  return total;
}

std::int64_t workNs() { return nowNs() - MachineLock::waitedNs(); }

}  // namespace

CandidateTimer::CandidateTimer() : startNs_(workNs()) {}

CandidateTimer::~CandidateTimer() { candidatesNs() += workNs() - startNs_; }

std::int64_t CandidateTimer::totalNs() { return candidatesNs(); }

}  // namespace hone::engine
