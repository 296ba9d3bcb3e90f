#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone::model {

// Names that IREE's dispatch profiler gave, and that its users' scripts look for.
constexpr std::string_view kIreeProvider = "IREE Codegen";
constexpr std::string_view kDefaultConfiguration = "tile_config_default";

/// A line of a profile: one dispatch by one provider, in the words of IREE's dispatch profiler.
struct ProfileRow {
  std::string dispatch;       ///< the operation's name with its configuration's
  std::string provider;       ///< kIreeProvider, "oneDNN"
  std::string opKind;         ///< "matmul"
  std::string operation;      ///< "matmul_128x128x256_f16t_f16t_f16t"
  std::string configuration;  ///< kDefaultConfiguration, "tile_config_64x64_…"
  std::vector<std::pair<std::string, std::string>> arguments;  ///< ("m", "128"), in their order
  double bytes = 0;
  double flops = 0;
  std::string tile;  ///< "128x128_64x4", "Default"
  std::string coreClass;
  std::string instructionClass;
  std::string verification;  ///< "SUCCESS", "FAILED", "Not verified"
  std::string message;       ///< why it failed; "" when it did not
  double lowNs = 0;          ///< 95 % interval of the median; 0 where nothing was measured
  double timeNs = 0;
  double highNs = 0;
  std::int64_t rounds = 0;
  double attainableGflops = 0;  ///< what this machine allows at this intensity; 0: not known
  std::string target;
  std::string device;

  [[nodiscard]] bool measured() const { return timeNs > 0; }
  [[nodiscard]] double gflops() const { return measured() ? flops / timeNs : 0; }
  [[nodiscard]] double gbps() const { return measured() ? bytes / timeNs : 0; }
  /// Of what the machine allows; 0 where that is not known.
  [[nodiscard]] double rooflineShare() const;
  /// Whether its results were found to be wrong, or it did not compile or run.
  [[nodiscard]] bool failed() const { return verification == "FAILED"; }
  bool operator==(const ProfileRow&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const ProfileRow& row);
[[nodiscard]] Result<ProfileRow> profileRowFrom(const nlohmann::json& json);

}  // namespace hone::model
