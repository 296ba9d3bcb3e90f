#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/judge/facts/kernel_facts.h"
#include "model/result/outcome.h"
#include "model/result/sample.h"

namespace hone::kernel {

/// Result of judging one source.
struct JudgeResult {
  model::Outcome outcome = model::Outcome::ok;  ///< invalid: rejected as a cheat
  std::string message;                          ///< one line, for the user and the proposer
  std::string diagnostics;                      ///< full output of the compiler or the kernel
  std::string artifact;                         ///< content hash of the built library
  std::int64_t buildWallNs = 0;
  std::int64_t buildCpuNs = 0;
  KernelFacts facts;
  std::vector<model::Sample> samples;  ///< screening samples

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Returns true if `cheat` is empty. Otherwise marks `judged` as invalid, with `cheat` as its
/// message.
inline bool checkFair(const std::string& cheat, JudgeResult& judged) {
  if (!cheat.empty()) {
    judged.outcome = model::Outcome::invalid;
    judged.message = cheat;
  }
  return cheat.empty();
}

}  // namespace hone::kernel
