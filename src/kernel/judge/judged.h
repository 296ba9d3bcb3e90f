#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result/outcome.h"
#include "model/result/sample.h"

namespace hone::kernel {

/// What came of a source in the hands of the judge.
struct Judged {
  model::Outcome outcome = model::Outcome::ok;  ///< invalid: refused for what its source does
  std::string message;                          ///< one line for a person, and for a proposer
  std::string diagnostics;                      ///< what the compiler or the kernel said, whole
  std::string artifact;                         ///< content hash of what was built
  std::int64_t buildWallNs = 0;
  std::int64_t buildCpuNs = 0;
  /// {"worst_error", "error_bound", "inputs": how many sets, "registers", "spills", "remarks": […],
  /// "timed": false where the device is not here}
  nlohmann::json facts = nlohmann::json::object();
  std::vector<model::Sample> samples;  ///< of its screening

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Returns true if `trick` is empty; otherwise makes `judged` invalid with it as the message.
inline bool isFair(const std::string& trick, Judged& judged) {
  if (!trick.empty()) {
    judged.outcome = model::Outcome::invalid;
    judged.message = trick;
  }
  return trick.empty();
}

}  // namespace hone::kernel
