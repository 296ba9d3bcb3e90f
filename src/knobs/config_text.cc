#include "knobs/config_text.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text/text.h"
#include "knobs/pipeline_text.h"

namespace hone::knobs {
namespace {

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string_view findEntry(std::string_view config, std::string_view name) {
  const std::string entry = fmt::format("{} = ", name);
  for (std::size_t at = 0; (at = config.find(entry, at)) != std::string_view::npos; ++at) {
    if (at == 0 || !isPartOfName(config[at - 1])) {
      return config.substr(at + entry.size());
    }
  }
  return {};
}

std::string_view listElement(std::string_view list, std::size_t index) {
  if (!list.starts_with('[')) {
    return {};
  }
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    depth += c == ']' ? -1 : 0;
    if (depth == 0 && i > 0) {
      return {};
    }
    if (depth == 1 && index == 0 && c != ' ' && c != ',') {
      return list.substr(i);
    }
    depth += c == '[' ? 1 : 0;
    if (depth == 1 && c == ',') {
      --index;
    }
  }
  return {};
}

std::optional<std::vector<std::int64_t>> parseNumbers(std::string_view list) {
  const auto end = list.find(']');
  if (!list.starts_with('[') || end == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::int64_t> numbers;
  const std::string_view inside = trim(list.substr(1, end - 1));
  if (inside.empty()) {
    return numbers;
  }
  for (const std::string& part : splitAt(inside, ',')) {
    const auto number = parseInt(trim(part));
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

bool namesPipeline(std::string_view translationInfo, std::string_view pipeline) {
  return readPipeline(translationInfo) == pipeline;
}

}  // namespace hone::knobs
