#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stats/compare.h"

// Reads results that any version of hone wrote. Included only by the sources of this folder.
// A member that is absent or null is nothing; one of another type throws, and `readResult` turns
// that into an error.

namespace hone::model {

/// Returns the member of an object, or null if it is absent.
[[nodiscard]] const nlohmann::json& findMember(const nlohmann::json& object, const char* name);

/// Throws if the value is not a number that fits T; nlohmann::json would wrap it. Fractions, which
/// old versions wrote for some members, are cut off.
template <typename T>
void requireFits(const nlohmann::json& value) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  const bool converts = value.is_number_integer() ||
                        (value.is_number_float() && std::abs(value.get<double>()) <= kMaxExact);
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<T>(value.get<std::uint64_t>())
                        : converts && std::in_range<T>(value.get<std::int64_t>());
  if (!fits) {
    throw nlohmann::json::type_error::create(302, "expected an integer that fits", &value);
  }
}

template <typename T>
[[nodiscard]] std::optional<T> readField(const nlohmann::json& object, const char* name) {
  const nlohmann::json& member = findMember(object, name);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!member.is_null()) {
      requireFits<T>(member);
    }
  }
  return member.is_null() ? std::nullopt : std::optional(member.get<T>());
}

[[nodiscard]] std::string readText(const nlohmann::json& object, const char* name);
[[nodiscard]] std::vector<std::string> readTexts(const nlohmann::json& object, const char* name);
/// Returns a time or another quantity; nullopt if it is 0, which means not measured.
[[nodiscard]] std::optional<double> readMeasured(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<stats::Verdict> readVerdict(const nlohmann::json& object,
                                                        const char* name);

/// Decodes {"low", "estimate" or "speedup", "high"} or [low, estimate, high]. Returns nullopt if a
/// value is missing.
[[nodiscard]] std::optional<stats::Interval> intervalFrom(const nlohmann::json& json);
[[nodiscard]] nlohmann::json intervalJson(const stats::Interval& interval);

/// Returns the number, or null.
[[nodiscard]] nlohmann::json orNull(const std::optional<double>& number);

template <typename T>
void setIf(nlohmann::json& object, const char* name, const std::optional<T>& value) {
  if (value) {
    object[name] = *value;
  }
}

/// Sets the member if `text` is not empty.
void setText(nlohmann::json& object, const char* name, const std::string& text);

/// Passes each member of an object to `take`. Returns the members for which it returns false or
/// throws, as the text of an object; "" if there are none.
[[nodiscard]] std::string readMembers(
    const nlohmann::json& object,
    const std::function<bool(const std::string&, const nlohmann::json&)>& take);

/// Decodes each element of a list with `read`; returns an empty list if the member is absent.
template <typename Read>
[[nodiscard]] auto readList(const nlohmann::json& object, const char* name, const Read& read) {
  std::vector<decltype(read(object))> list;
  const nlohmann::json& member = findMember(object, name);
  if (!member.is_null()) {
    for (const nlohmann::json& one : member.get_ref<const nlohmann::json::array_t&>()) {
      list.push_back(read(one));
    }
  }
  return list;
}

template <typename T>
[[nodiscard]] nlohmann::json listJson(const std::vector<T>& list) {
  nlohmann::json json = nlohmann::json::array();
  for (const T& one : list) {
    json.push_back(toJson(one));
  }
  return json;
}

/// Decodes `json` with `read`; returns a user error if it has another form.
template <typename Read>
[[nodiscard]] auto readResult(const nlohmann::json& json, std::string_view what, const Read& read)
    -> Result<decltype(read(json))> {
  try {
    return read(json);
  } catch (const nlohmann::json::exception& exception) {
    return userError("{}: {}", what, exception.what());
  }
}

}  // namespace hone::model
