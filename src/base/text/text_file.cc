#include "base/text/text_file.h"

#include "base/file.h"

namespace hone {
namespace {

/// Text has no NUL; every binary format that users confuse with text has one near its start.
constexpr std::size_t kInspectedBytes = 4096;

}  // namespace

Result<std::string> readTextFile(const std::filesystem::path& file) {
  std::string contents = HONE_TRY(readFile(file));
  if (!std::string_view(contents).substr(0, kInspectedBytes).contains('\0')) {
    return contents;
  }
  const std::string name = file.string();
  if (file.extension() == ".onnx") {
    return userError("{} is an ONNX model; expected text", name);
  }
  if (file.extension() == ".vmfb") {
    return userError("{} is a compiled module; expected its MLIR program", name);
  }
  return userError("{} is a binary file; expected text", name);
}

}  // namespace hone
