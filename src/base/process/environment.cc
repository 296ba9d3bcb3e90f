#include "base/process/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

namespace hone {

std::vector<std::string> environmentWith(
    std::span<const std::pair<std::string, std::string>> changes) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = entry.substr(0, entry.find('='));
    bool replaced = false;
    for (const auto& [key, value] : changes) {
      replaced = replaced || key == name;
    }
    if (!replaced) {
      variables.emplace_back(entry);
    }
  }
  for (std::string& added : environmentOf(changes)) {
    variables.push_back(std::move(added));
  }
  return variables;
}

std::vector<std::string> environmentOf(
    std::span<const std::pair<std::string, std::string>> variables) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : variables) {
    texts.push_back(fmt::format("{}={}", key, value));
  }
  return texts;
}

std::vector<char*> execPointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace hone
