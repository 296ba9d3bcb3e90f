#include "cluster/spool/checked_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"

namespace hone::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "hone-file 1 ";

}  // namespace

Result<void> writeChecked(const fs::path& file, const nlohmann::json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return writeFile(file, fmt::format("{}{}\n{}", kMagic, hashBytes(text), text));
}

std::optional<nlohmann::json> readChecked(const fs::path& file) {
  const auto text = readFile(file);
  if (!text || !text->starts_with(kMagic)) {
    return std::nullopt;
  }
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view body = std::string_view(*text).substr(end + 1);
  if (text->substr(kMagic.size(), end - kMagic.size()) != hashBytes(body)) {
    return std::nullopt;
  }
  auto json = nlohmann::json::parse(body, nullptr, false);
  return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::string name = at->path().filename().string();
    if (!name.ends_with(".part")) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool moveFile(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::rename(from, to, code);
  return !code || (code == std::errc::no_such_file_or_directory && fs::exists(to, code));
}

}  // namespace hone::cluster
