#include "tune/program/script_file.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"

namespace hone::tune {

Result<std::filesystem::path> cacheScript(const std::string& text) {
  const auto folder = HONE_TRY(cacheFolder()) / "scripts";
  HONE_CHECK(makeFolder(folder));
  auto file = folder / fmt::format("{}.mlir", hashBytes(text));
  HONE_CHECK(writeFile(file, text));
  return file;
}

}  // namespace hone::tune
