#include "iree/compile/cache/flag_files.h"

#include <filesystem>

namespace hone::iree {

void addFlag(Hasher& hasher, const std::string& flag) {
  hasher.field(flag);
  const std::size_t equals = flag.find('=');
  if (equals == std::string::npos || flag.substr(0, equals).contains("dump")) {
    return;
  }
  const std::filesystem::path named = flag.substr(equals + 1);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(named, ignored)) {
    // The compiler cannot read an unreadable file either.
    hasher.field("contents").field(hashFile(named).value_or(""));
  }
}

}  // namespace hone::iree
