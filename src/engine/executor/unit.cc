#include "engine/executor/unit.h"

#include <system_error>

namespace hone::engine {

namespace fs = std::filesystem;

Result<std::vector<std::string>> FileShare::shareNamed(std::vector<std::string> texts) {
  for (std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const bool marked = text.substr(equals + 1).starts_with('@');
    const std::size_t begin = equals + (marked ? 2 : 1);
    const fs::path file = text.substr(begin);
    std::error_code code;
    if ((marked || file.is_absolute()) && fs::is_regular_file(file, code)) {
      text = text.substr(0, begin) + HONE_TRY(share(file)).string();
    }
  }
  return texts;
}

Result<void> Unit::prepare(std::span<Unit* const> /*batch*/) { return {}; }

}  // namespace hone::engine
