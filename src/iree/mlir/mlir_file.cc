#include "iree/mlir/mlir_file.h"

#include <string_view>

#include "base/file.h"
#include "base/text/text_file.h"

namespace hone::iree {

Result<std::string> readMlirFile(const std::filesystem::path& file) {
  constexpr std::string_view kBytecode = "ML\xefR";
  auto text = readTextFile(file);
  if (!text) {
    auto contents = readFile(file);
    if (contents && contents->starts_with(kBytecode)) {
      return contents;
    }
  }
  return text;
}

}  // namespace hone::iree
