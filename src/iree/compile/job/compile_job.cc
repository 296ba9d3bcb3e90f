#include "iree/compile/job/compile_job.h"

namespace hone::iree {

std::filesystem::path replyPath(const std::filesystem::path& output) {
  return output.string() + ".reply";
}

}  // namespace hone::iree
