#include "engine/executor/unit.h"

#include <system_error>

namespace hone::engine {

namespace fs = std::filesystem;

Result<std::vector<std::string>> FileShare::shareNamed(std::vector<std::string> texts) {
  for (std::string& text : texts) {
    const std::size_t last = text.rfind("=@");
    const bool marked = text.starts_with('@') || last != std::string::npos;
    const std::size_t equals = text.find('=');
    const std::size_t begin = text.starts_with('@')         ? 1
                              : marked                      ? last + 2
                              : equals == std::string::npos ? 0
                                                            : equals + 1;
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
