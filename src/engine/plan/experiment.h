#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "engine/plan/finding.h"
#include "engine/plan/plan.h"
#include "engine/plan/trial_context.h"

namespace hone::engine {

/// Takes the candidates of a plan through compile, verify, screen, race and final. Stores every
/// trial and round before the next starts; recorded work is not repeated.
class Experiment {
 public:
  explicit Experiment(const TrialContext& context) : context_(context) {}

  /// Returns the findings in the order of the candidates. Fails with a user error if the baseline
  /// does not compile, does not run or differs from the reference. Other failures are findings.
  [[nodiscard]] Result<std::vector<Finding>> run(const Plan& plan);

  /// Returns the finding of ONNX Runtime, measured in the same rounds as the finalists of the last
  /// run; nullopt if the plan does not want it, or if it ran on another machine.
  [[nodiscard]] const std::optional<Finding>& alternative() const { return alternative_; }

  /// Returns the CPU time spent on references in this process, which does not count as overhead.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  TrialContext context_;
  std::int64_t referenceCpuNs_ = 0;
  std::optional<Finding> alternative_;
};

}  // namespace hone::engine
