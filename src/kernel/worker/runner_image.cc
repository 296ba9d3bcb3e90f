#include "kernel/worker/runner_image.h"

#include <unistd.h>

#include <string_view>
#include <system_error>

#include "base/file.h"

// NOLINTBEGIN(readability-identifier-naming, *-avoid-c-arrays): symbols of the embedded file
extern "C" const char honeRunnerImageBegin[];
extern "C" const char honeRunnerImageEnd[];
// NOLINTEND(readability-identifier-naming, *-avoid-c-arrays)

namespace hone::kernel {

Result<std::filesystem::path> installRunner(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const std::string_view image(honeRunnerImageBegin,
                               static_cast<std::size_t>(honeRunnerImageEnd - honeRunnerImageBegin));
  fs::path program = folder / "kernel-runner";
  if (const auto there = readFile(program); there && *there == image) {
    return program;
  }
  HONE_CHECK(makeFolder(folder));
  // Another process may execute the old file: replace it, do not change it.
  const fs::path part = folder / fmt::format("kernel-runner.{}", ::getpid());
  HONE_CHECK(writeFile(part, image));
  std::error_code error;
  fs::permissions(part, fs::perms::owner_all, error);
  if (!error) {
    fs::rename(part, program, error);
  }
  if (error) {
    return machineError("cannot write {}: {}", program.string(), error.message());
  }
  return program;
}

}  // namespace hone::kernel
