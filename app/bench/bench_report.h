#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "engine/plan/experiment.h"
#include "iree/compile/compiler.h"
#include "iree/run/device.h"
#include "model/result/summary/bench_result.h"

namespace hone::app {

/// A finished bench run.
struct BenchRun {
  std::int64_t run = 0;
  std::string target;
  iree::Device device;
  const engine::Plan& plan;
  std::vector<engine::Finding> findings;
  std::optional<engine::Finding> alternative;  ///< ONNX Runtime, if requested
};

/// Returns the result to store, without hone's own CPU time.
[[nodiscard]] model::BenchResult toResult(const BenchRun& bench);

/// Prints the result, or `summary` if --json is set. Returns the exit code: 1 if B regressed or
/// its results differ.
[[nodiscard]] int reportBench(const Context& context, const BenchRun& bench,
                              const nlohmann::json& summary);

/// Prints the compiles for a target without a device. Returns the exit code: 1 if any failed.
[[nodiscard]] int reportCompileOnly(const Context& context, const std::string& target,
                                    const engine::Plan& plan,
                                    const std::vector<iree::Compiled>& compiled);

}  // namespace hone::app
