#include "base/text/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

/// Returns the position at which the text exceeds the maximum depth, or npos.
std::size_t findTooDeep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) {
        return i;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

auto lineAt(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

}  // namespace

Result<nlohmann::json> jsonFrom(std::string_view text, std::string_view where) {
  if (const std::size_t at = findTooDeep(text); at != std::string_view::npos) {
    return userError("{}, line {}: JSON is nested deeper than {} levels", where, lineAt(text, at),
                     kMaxJsonDepth);
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return userError("{}, line {}: invalid JSON", where, lineAt(text, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    return userError("{}: invalid JSON: a number is too large", where);
  }
}

std::string jsonText(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hone
