#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// An attribute set on operations of the dispatches, in the IR just before the compiler chooses its
/// configuration.
struct OpAttribute {
  std::string dispatch;  ///< regular expression for the dispatch's name; "" matches all
  /// Operation name: "linalg.matmul" selects all of that name, "linalg.generic#1" the second one.
  /// "" selects the dispatch's root.
  std::string op;
  std::string name;   ///< "compilation_info"
  std::string value;  ///< attribute as MLIR text

  bool operator==(const OpAttribute&) const = default;
};

/// Knob values, which affect speed but not results. An empty config is the baseline, the compiler's
/// default.
struct Config {
  std::string name;                ///< display name; not part of the key
  std::vector<std::string> flags;  ///< compiler flags in addition to the run's
  std::vector<OpAttribute> attributes;

  [[nodiscard]] bool isBaseline() const { return flags.empty() && attributes.empty(); }
  /// Returns a hash of the flags and attributes in their order, without the name.
  [[nodiscard]] std::string key() const;
  bool operator==(const Config&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const Config& config);
/// Decodes a config; returns a user error that names an unknown or ill-typed member.
[[nodiscard]] Result<Config> configFrom(const nlohmann::json& json);

}  // namespace hone::model
