#include "cluster/shared_files.h"

#include <system_error>

#include "base/file.h"
#include "base/hash.h"

namespace hone::cluster {

namespace fs = std::filesystem;

Result<fs::path> SharedFiles::keep(const fs::path& file) {
  const fs::path absolute = fs::absolute(file);
  if (const auto known = kept_.find(absolute); known != kept_.end()) {
    return known->second;
  }
  const std::string content = HONE_TRY(readFile(absolute));
  const fs::path folder = folder_ / hashOf(content).substr(0, 32);
  fs::path there = folder / absolute.filename();
  std::error_code code;
  if (!fs::exists(there, code)) {
    HONE_CHECK(makeFolder(folder));
    HONE_CHECK(writeFile(there, content));
  }
  kept_[absolute] = there;
  return there;
}

Result<std::vector<std::string>> SharedFiles::keepNamed(std::vector<std::string> texts) {
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
      text = text.substr(0, begin) + HONE_TRY(keep(file)).string();
    }
  }
  return texts;
}

}  // namespace hone::cluster
