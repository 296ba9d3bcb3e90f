#include "tests/source_folder.h"

namespace hone {

const std::filesystem::path& sourceFolder() {
  static const std::filesystem::path kFolder = HONE_SOURCE_DIR;
  return kFolder;
}

}  // namespace hone
