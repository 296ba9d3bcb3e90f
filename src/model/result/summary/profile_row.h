#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone::model {

// Names used by IREE's dispatch profiler; users' scripts depend on them.
constexpr std::string_view kIreeProvider = "IREE Codegen";
constexpr std::string_view kDefaultConfiguration = "tile_config_default";

/// One row of a profile: one dispatch by one provider, in the terms of IREE's dispatch profiler.
struct ProfileRow {
  std::string dispatch;       ///< name of the operation and of its configuration
  std::string provider;       ///< kIreeProvider, "oneDNN"
  std::string opKind;         ///< "matmul"
  std::string operation;      ///< "matmul_128x128x256_f16t_f16t_f16t"
  std::string configuration;  ///< kDefaultConfiguration, "tile_config_64x64_…"
  std::vector<std::pair<std::string, std::string>> arguments;  ///< ("m", "128"), in order
  double bytes = 0;
  double flops = 0;
  std::string tile;  ///< "128x128_64x4", "Default"
  std::string coreClass;
  std::string instructionClass;
  std::string verification;  ///< "SUCCESS", "FAILED", "Not verified"
  std::string message;       ///< reason of a failure, or ""
  double lowNs = 0;          ///< lower bound of the median's 95 % CI; 0 if not measured
  double timeNs = 0;
  double highNs = 0;
  std::int64_t rounds = 0;
  double attainableGflops = 0;  ///< limit of this machine at this intensity; 0: unknown
  std::string target;
  std::string device;

  [[nodiscard]] bool measured() const { return timeNs > 0; }
  [[nodiscard]] double gflops() const { return measured() ? flops / timeNs : 0; }
  [[nodiscard]] double gbps() const { return measured() ? bytes / timeNs : 0; }
  /// Returns the share of the machine's limit; 0 if the limit is unknown.
  [[nodiscard]] double rooflineShare() const;
  /// Returns true if it failed to compile or run, or its results are wrong.
  [[nodiscard]] bool failed() const { return verification == "FAILED"; }
  bool operator==(const ProfileRow&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const ProfileRow& row);
[[nodiscard]] Result<ProfileRow> profileRowFrom(const nlohmann::json& json);

}  // namespace hone::model
