#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
#include "iree/run/execution.h"
#include "model/result/outcome.h"
#include "verify/compare.h"

namespace hone::engine {

/// Source of the values that the results of a candidate are compared with.
enum class Expectation : std::uint8_t {
  nothing,    ///< not compared: the baseline itself, or results that cannot be read back
  reference,  ///< computed by a library other than IREE
  baseline,   ///< results of the baseline; shows equality only
};

[[nodiscard]] std::string_view nameOf(Expectation expectation);

/// Returns true if the program has results and all of them can be read back. Otherwise its
/// candidates are run but not checked.
[[nodiscard]] bool canBeCompared(const Program& program);

struct Verification {
  model::Outcome outcome = model::Outcome::ok;
  Expectation expectation = Expectation::nothing;
  std::string message;      ///< one line; if ok, a note on the baseline, usually empty
  std::string diagnostics;  ///< output of the runtime
};

/// Checks the results of compiled programs that compute the same function on the same inputs. The
/// reference of a problem is oneDNN, that of a model ONNX Runtime. Without a reference, the first
/// program that runs, usually the baseline, sets the expected values.
class Verifier {
 public:
  Verifier(const iree::ModuleRunner& runner, const Program& program, const Inputs& inputs,
           std::filesystem::path folder)
      : runner_(runner), program_(program), inputs_(inputs), folder_(std::move(folder)) {}

  /// Runs the call once and compares its results. A failing call or wrong results are a value; an
  /// error is an interrupt or a machine error.
  [[nodiscard]] Result<Verification> check(const iree::Call& call);
  /// Returns the CPU time spent on the reference, which does not count as hone's overhead.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Expected {
    verify::Tensor tensor;
    verify::Tolerance tolerance;
    /// Difference of scores above which their order must stay; absent if it is not compared.
    std::optional<double> rankGap{};
  };
  [[nodiscard]] Result<void> expectReference();
  /// Expects the outputs of the program's model, if ONNX Runtime can run it and `results`, those of
  /// the baseline, agree with them. Returns a note for the user otherwise; "" if there is nothing
  /// to say.
  [[nodiscard]] Result<std::string> expectModel(const std::vector<verify::Tensor>& results);
  /// Describes the first result that is not a number; "" if there is none.
  [[nodiscard]] Result<std::string> findNan(const std::vector<verify::Tensor>& results) const;
  [[nodiscard]] std::string resultName(std::size_t number) const;
  void expectResults(std::vector<verify::Tensor> results);
  [[nodiscard]] Result<std::string> compareResults(std::vector<verify::Tensor> results) const;

  const iree::ModuleRunner& runner_;
  const Program& program_;
  const Inputs& inputs_;
  std::filesystem::path folder_;
  Expectation expectation_ = Expectation::nothing;
  std::vector<Expected> expected_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::engine
