#include "iree/compile/toolchain/foreign_flags.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/text/text.h"

namespace hone::iree {
namespace {

constexpr std::array<std::string_view, 20> kHarmlessFlagPrefixes = {
    "--iree-codegen-",    "--iree-cuda-",    "--iree-dispatch-creation-",
    "--iree-execution-",  "--iree-flow-",    "--iree-global-opt-",
    "--iree-gpu-",        "--iree-hal-",     "--iree-input-",
    "--iree-linalgext-",  "--iree-llvmcpu-", "--iree-llvmgpu-",
    "--iree-opt-",        "--iree-rocdl-",   "--iree-rocm-",
    "--iree-scheduling-", "--iree-spirv-",   "--iree-stream-",
    "--iree-vm-",         "--iree-vulkan-"};

/// Words in the names of flags that name a program or a file, or run arbitrary passes.
constexpr std::array<std::string_view, 24> kHarmfulWords = {
    "path",   "file",     "filename",  "dir",        "directory",  "dump",
    "load",   "plugin",   "plugins",   "library",    "linker",     "static",
    "output", "trace",    "parameter", "parameters", "preprocess", "substitute",
    "ptxas",  "pipeline", "artifacts", "bitcode",    "search",     "tool"};

/// Returns true if the value of a flag cannot name a file outside of the working folder.
bool isPlainValue(std::string_view value) {
  return !value.contains('/') && !value.contains('\\') && !value.contains('@') &&
         !value.contains("..") && !value.starts_with('~');
}

}  // namespace

bool isHarmlessFlag(std::string_view flag) {
  const std::size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : flag.substr(equals + 1);
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::ranges::none_of(kHarmlessFlagPrefixes, begins) || !isPlainValue(value) ||
      name.ends_with("-to") || name.ends_with("-from") || name.ends_with("-with")) {
    return false;
  }
  const std::vector<std::string> words = splitAt(name, '-');
  return std::ranges::none_of(words, [](const std::string& word) {
    return std::ranges::find(kHarmfulWords, word) != kHarmfulWords.end();
  });
}

Result<void> checkForeignFlags(std::span<const std::string> flags, std::string_view file) {
  for (const std::string& flag : flags) {
    if (!isHarmlessFlag(flag)) {
      return userError(
          "{}: the flag '{}' may name a program or a file; use --trust if you trust the author",
          file, shortened(flag, 100));
    }
  }
  return {};
}

Result<void> checkForeignInputs(std::span<const std::string> inputs,
                                const std::filesystem::path& folder, std::string_view file) {
  for (const std::string& input : inputs) {
    const std::size_t at = input.find_first_of("@&");
    if (at != std::string::npos && !isBelow(input.substr(at + 1), folder)) {
      return userError(
          "{}: the input '{}' names a file outside of {}; use --trust if you trust the author",
          file, shortened(input, 100), folder.string());
    }
  }
  return {};
}

}  // namespace hone::iree
