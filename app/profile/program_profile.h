#pragma once

#include <string>
#include <vector>

#include "app/common/call_options.h"
#include "app/common/toolchain.h"
#include "iree/run/dispatch_times.h"
#include "model/result/summary/profile_result.h"

namespace hone::app {

/// Time of one program call, by dispatch.
struct ProgramProfile {
  std::string name;
  std::string device;
  std::vector<iree::DispatchTime> dispatches;  ///< of one call, the most expensive first
  double wallNs = 0;                           ///< of one call
};

[[nodiscard]] Result<ProgramProfile> profileProgram(Toolchain& toolchain,
                                                    const engine::Program& program,
                                                    const CallOptions& options, std::uint64_t seed);
[[nodiscard]] std::string programTable(const ProgramProfile& profile, std::size_t width);
/// Converts the profile to its stored form.
[[nodiscard]] model::ProfiledProgram toResult(const ProgramProfile& profile);
[[nodiscard]] std::vector<model::TimedDispatch> toResult(
    const std::vector<iree::DispatchTime>& dispatches);

}  // namespace hone::app
