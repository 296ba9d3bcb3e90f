#include "trial/lane.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace hone::trial {
namespace {

std::filesystem::path laneFile() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / fmt::format("hone-{}.lane", ::getuid());
}

}  // namespace

Result<FileLock> enterToCompile() { return FileLock::waitFor(laneFile(), FileLock::Share::shared); }

Result<FileLock> enterToMeasure() {
  return FileLock::waitFor(laneFile(), FileLock::Share::exclusive);
}

}  // namespace hone::trial
