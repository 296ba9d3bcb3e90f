#include "app/kernel/kernel_guidance.h"

#include <filesystem>
#include <variant>

#include "base/file.h"
#include "base/text/text.h"
#include "cluster/settings/options.h"
#include "cluster/settings/toml.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// More would leave little of a model's context for the kernel.
constexpr std::size_t kMaxGuidance = 20'000;

}  // namespace

Result<std::string> readGuidance(const std::string& given) {
  std::error_code code;
  std::string text = given;
  if (fs::is_regular_file(given, code)) {
    text = HONE_TRY(readFile(given));
  } else if (given.find_first_of(" \n\t") == std::string::npos &&
             given.find_first_of("./") != std::string::npos) {
    return userError("invalid --guidance: no file {} found", given);
  }
  if (trim(text).empty()) {
    return userError("invalid --guidance: the text is empty");
  }
  if (text.size() > kMaxGuidance) {
    return userError("invalid --guidance: {} characters, expected at most {}", text.size(),
                     kMaxGuidance);
  }
  return std::string(trim(text));
}

Result<std::optional<std::string>> guidanceInSettings(const std::string& settings) {
  std::error_code code;
  const std::string file = settings.empty() ? cluster::kSettingsFile : settings;
  if (settings.empty() && !fs::exists(file, code)) {
    return std::nullopt;
  }
  std::optional<std::string> guidance;
  for (const cluster::TomlEntry& entry :
       HONE_TRY(cluster::tomlFrom(HONE_TRY(readFile(file)), file))) {
    if (entry.section != "kernel") {
      continue;
    }
    if (entry.key != "guidance") {
      return userError("{}:{}: unknown key '{}' in [kernel]; expected guidance", file, entry.line,
                       entry.key);
    }
    const auto* text = std::get_if<std::string>(&entry.value);
    if (text == nullptr) {
      return userError("{}:{}: invalid type of 'guidance'", file, entry.line);
    }
    guidance = *text;
  }
  return guidance;
}

}  // namespace hone::app
