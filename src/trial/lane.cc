#include "trial/lane.h"

#include <unistd.h>

#include <filesystem>

namespace hone::trial {
namespace {

/// Not below TMPDIR: every run of this user must meet at the same file.
std::filesystem::path laneFile() { return fmt::format("/tmp/hone-{}.lane", ::getuid()); }

}  // namespace

Result<FileLock> enterToCompile() { return FileLock::waitFor(laneFile(), FileLock::Share::shared); }

Result<FileLock> enterToMeasure() {
  return FileLock::waitFor(laneFile(), FileLock::Share::exclusive);
}

}  // namespace hone::trial
