#include "engine/lane.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace hone::engine {
namespace {

/// Not below TMPDIR: every run of this user must meet at the same file. A machine may pose as
/// several nodes of a cluster, whose jobs do not meet.
std::filesystem::path laneFile() {
  const char* node = std::getenv("SLURMD_NODENAME");
  return node == nullptr ? fmt::format("/tmp/hone-{}.lane", ::getuid())
                         : fmt::format("/tmp/hone-{}-{}.lane", ::getuid(), node);
}

}  // namespace

Result<FileLock> enterToCompile() { return FileLock::waitFor(laneFile(), FileLock::Share::shared); }

Result<FileLock> enterToMeasure() {
  return FileLock::waitFor(laneFile(), FileLock::Share::exclusive);
}

}  // namespace hone::engine
