#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// An attribute put on operations of the dispatches, in the IR just before the compiler chooses
/// its own configuration.
struct OpAttribute {
  std::string dispatch;  ///< regular expression on the dispatch's name; "" matches all
  /// The operation's name, "linalg.matmul": all of it, or the second one by "linalg.generic#1"; ""
  /// is the dispatch's root.
  std::string op;
  std::string name;   ///< "compilation_info"
  std::string value;  ///< the attribute as MLIR text

  bool operator==(const OpAttribute&) const = default;
};

/// Values for the knobs that change speed and never meaning. The empty one is the baseline: the
/// compiler's own choice.
struct Config {
  std::string name;                ///< for people; not part of what it is
  std::vector<std::string> flags;  ///< compiler flags, on top of the run's own
  std::vector<OpAttribute> attributes;

  [[nodiscard]] bool isBaseline() const { return flags.empty() && attributes.empty(); }
  /// Equal for configs that compile alike, whatever their names.
  [[nodiscard]] std::string key() const;
  bool operator==(const Config&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const Config& config);
/// Reads one config; an unknown or ill-typed member is a user error that names it.
[[nodiscard]] Result<Config> configFrom(const nlohmann::json& json);

}  // namespace hone::model
