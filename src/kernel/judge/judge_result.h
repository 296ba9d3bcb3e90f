#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/judge/kernel_facts.h"
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

/// Returns true if `trick` is empty; otherwise marks `judged` as invalid with `trick` as its
/// message.
inline bool checkFair(const std::string& trick, JudgeResult& judged) {
  if (!trick.empty()) {
    judged.outcome = model::Outcome::invalid;
    judged.message = trick;
  }
  return trick.empty();
}

}  // namespace hone::kernel
