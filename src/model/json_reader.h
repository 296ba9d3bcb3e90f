#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::model {

/// Reads the members of a JSON object into variables and remembers the first thing that is wrong:
/// a missing member, a wrong type, a member nobody asked for.
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
    try {
      json_.at(member).get_to(into);
    } catch (const nlohmann::json::exception&) {
      problem_ = fmt::format("'{}' has the wrong type: {}", member, json_.at(member).dump());
    }
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
  const nlohmann::json& json_;
  std::string what_;
  std::string problem_;
  std::set<std::string> known_;
};

}  // namespace hone::model
