#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/program.h"
#include "iree/run/execution.h"
#include "model/result/outcome.h"
#include "verify/compare.h"

namespace hone::engine {

/// The expectation that the results of a candidate are compared with.
enum class Against : std::uint8_t {
  nothing,    ///< the first program itself, or results that cannot be read back
  reference,  ///< a library that is not IREE computed it
  baseline,   ///< the baseline's own results: no more than equality is shown
};

[[nodiscard]] std::string_view nameOf(Against against);

/// Returns true if the program has results and all of them can be read back; otherwise its
/// candidates are only run, and their results are not checked.
[[nodiscard]] bool canBeCompared(const Program& program);

struct Verification {
  model::Outcome outcome = model::Outcome::ok;
  Against against = Against::nothing;
  std::string message;      ///< one line; "" when ok
  std::string diagnostics;  ///< what the runtime said
};

/// Checks the results of compiled programs that compute the same thing from the same inputs. The
/// first one checked, the baseline, sets the expectation when the problem has no reference.
class Verifier {
 public:
  Verifier(const iree::ModuleRunner& runner, const Program& program, const Inputs& inputs,
           std::filesystem::path folder)
      : runner_(runner), program_(program), inputs_(inputs), folder_(std::move(folder)) {}

  [[nodiscard]] Result<Verification> check(const iree::Call& call);
  /// CPU time spent on the reference; it is not hone's own.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Expected {
    verify::Tensor tensor;
    verify::Tolerance tolerance;
  };
  [[nodiscard]] Result<void> expectReference();
  void expectResults(std::vector<verify::Tensor> results);
  [[nodiscard]] Result<std::string> compareResults(std::vector<verify::Tensor> results) const;

  const iree::ModuleRunner& runner_;
  const Program& program_;
  const Inputs& inputs_;
  std::filesystem::path folder_;
  Against against_ = Against::nothing;
  std::vector<Expected> expected_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::engine
