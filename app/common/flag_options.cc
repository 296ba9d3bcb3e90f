#include "app/common/flag_options.h"

#include <CLI/CLI.hpp>

#include "base/text/text.h"

namespace hone::app {

void FlagOptions::addTo(CLI::App& command) {
  command.add_option("--flags", text_, "Compiler flags as one quoted string; the same as after --");
  command.add_option("FLAGS", rest_, "Compiler flags, after --");
}

Result<std::vector<std::string>> FlagOptions::flags() const {
  std::vector<std::string> flags = HONE_TRY(splitFlags("--flags", text_));
  flags.insert(flags.end(), rest_.begin(), rest_.end());
  for (const std::string& flag : flags) {
    if (!flag.starts_with('-')) {
      return userError(
          "invalid compiler flag '{}': expected flags after a separate --, as in -- "
          "--iree-opt-data-tiling",
          flag);
    }
  }
  return flags;
}

Result<std::vector<std::string>> splitFlags(std::string_view option, const std::string& text) {
  auto words = shellWords(text);
  if (!words) {
    return userError("{}: unterminated quote: {}", option, text);
  }
  return *words;
}

}  // namespace hone::app
