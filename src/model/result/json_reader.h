#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace hone::model {

/// Reads members of a JSON object into variables and records the first error: a missing member, a
/// wrong type, or an unknown member.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& json, std::string_view what) : json_(json), what_(what) {
    if (!json.is_object()) {
      problem_ = "must be an object";
    }
  }

  template <typename T>
  void required(const std::string& member, T& into) {
    if (problem_.empty() && !json_.contains(member)) {
      problem_ = fmt::format("'{}' is missing", member);
    }
    optional(member, into);
  }

  template <typename T>
  void optional(const std::string& member, T& into) {
    known_.insert(member);
    if (!problem_.empty() || !json_.contains(member)) {
      return;
    }
    const nlohmann::json& value = json_.at(member);
    bool taken = false;
    try {
      if (holds<T>(value)) {
        value.get_to(into);
        taken = true;
      }
    } catch (const nlohmann::json::exception&) {
      taken = false;
    }
    if (taken) {
      return;
    }
    using Handler = nlohmann::json::error_handler_t;
    problem_ = fmt::format("'{}' has the wrong type: {}", member,
                           value.dump(-1, ' ', false, Handler::replace));
  }

  [[nodiscard]] Result<void> finish() const {
    if (!problem_.empty()) {
      return userError("{}: {}", what_, problem_);
    }
    for (const auto& [member, value] : json_.items()) {
      if (!known_.contains(member)) {
        return userError("{}: unknown member '{}'", what_, member);
      }
    }
    return {};
  }

 private:
  /// Returns true if `value` fits T. nlohmann::json would truncate 2.5 to 2 and wrap integers that
  /// are too large.
  template <typename T>
  static bool holds(const nlohmann::json& value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return value.is_number_unsigned()
                 ? std::in_range<T>(value.get<std::uint64_t>())
                 : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    }
    return true;
  }

  const nlohmann::json& json_;
  std::string what_;
  std::string problem_;
  std::set<std::string> known_;
};

}  // namespace hone::model
