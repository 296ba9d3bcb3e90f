#include "cluster/shared_files.h"

#include <system_error>

#include "base/file.h"
#include "base/hash.h"

namespace hone::cluster {

namespace fs = std::filesystem;

Result<fs::path> SharedFiles::share(const fs::path& file) {
  const fs::path absolute = fs::absolute(file);
  if (const auto known = shared_.find(absolute); known != shared_.end()) {
    return known->second;
  }
  const std::string content = HONE_TRY(readFile(absolute));
  const fs::path folder = folder_ / hashBytes(content).substr(0, 32);
  fs::path there = folder / absolute.filename();
  std::error_code code;
  if (!fs::exists(there, code)) {
    HONE_CHECK(makeFolder(folder));
    HONE_CHECK(writeFile(there, content));
  }
  shared_[absolute] = there;
  return there;
}

}  // namespace hone::cluster
