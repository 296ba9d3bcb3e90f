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

/// A bench that is done.
struct BenchRun {
  std::int64_t run = 0;
  std::string target;
  iree::Device device;
  const engine::Plan& plan;
  std::vector<engine::Finding> findings;
};

/// The result as the store keeps it, without hone's own CPU time.
[[nodiscard]] model::BenchResult resultOf(const BenchRun& bench);

/// Prints the result for people, or the summary when JSON is asked for. The exit code: 1 when the
/// one thing compared with the baseline regressed or computes something else.
[[nodiscard]] int reportBench(const Context& context, const BenchRun& bench,
                              const nlohmann::json& summary);

/// The same for a target that has no device here.
[[nodiscard]] int reportCompileOnly(const Context& context, const std::string& target,
                                    const engine::Plan& plan,
                                    const std::vector<iree::Compiled>& compiled);

}  // namespace hone::app
