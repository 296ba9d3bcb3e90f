#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/result/summary/profile_row.h"

namespace hone::model {

/// A dispatch and its time within one call of a program.
struct TimedDispatch {
  std::string name;
  std::optional<std::int64_t> calls;  ///< in one call of the program
  std::optional<double> timeNs;
};

[[nodiscard]] nlohmann::json toJson(const TimedDispatch& dispatch);
/// Throws nlohmann::json::exception if `json` has another form, as do the decoders below.
[[nodiscard]] TimedDispatch timedDispatchFrom(const nlohmann::json& json);

/// Time of one call of a whole program, by dispatch.
struct ProfiledProgram {
  std::string name;
  std::string device;
  std::optional<double> wallNs;  ///< of one call
  std::vector<TimedDispatch> dispatches;
};

[[nodiscard]] nlohmann::json toJson(const ProfiledProgram& program);

/// Measured limits of the machine for one element type.
struct MeasuredRoofline {
  std::string type;
  double gflops = 0;
  double gbps = 0;
};

[[nodiscard]] nlohmann::json toJson(const MeasuredRoofline& roofline);
[[nodiscard]] MeasuredRoofline measuredRooflineFrom(const nlohmann::json& json);

/// Summary of a run of `hone profile`.
struct ProfileResult {
  std::optional<std::vector<ProfileRow>> rows;  ///< absent while the run is in progress
  std::optional<std::vector<MeasuredRoofline>> rooflines;
  std::optional<std::int64_t> ownCpuNs;  ///< CPU time of hone itself
  std::optional<ProfiledProgram> program;
};

[[nodiscard]] nlohmann::json toJson(const ProfileResult& result);
/// Decodes a result. Skips rows in a form this version does not know.
[[nodiscard]] Result<ProfileResult> profileResultFrom(const nlohmann::json& json);

}  // namespace hone::model
