#pragma once

#include <cstdint>

namespace hone::engine {

/// Counts the time that this process spends on trying candidates, from construction to destruction.
/// Waiting for the machine lock does not count.
class CandidateTimer {
 public:
  CandidateTimer();
  CandidateTimer(const CandidateTimer&) = delete;
  CandidateTimer& operator=(const CandidateTimer&) = delete;
  ~CandidateTimer();

  /// Returns the time of all timers of this process so far.
  [[nodiscard]] static std::int64_t totalNs();

 private:
  std::int64_t startNs_;
};

}  // namespace hone::engine
