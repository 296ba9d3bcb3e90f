#include "iree/compile/toolchain/target.h"

#include "base/text/text.h"

namespace hone::iree {

Result<Target> targetFrom(std::string_view name) {
  const auto colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string chip(colon == std::string_view::npos ? "" : name.substr(colon + 1));
  if (name == "local") {
    return Target{
        "local",
        {"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
         "--iree-llvmcpu-target-cpu=host",
         // Same machine code for 10 % less work.
         "--iree-llvmcpu-debug-symbols=false"},
        {"local-sync", "local-task"}};
  }
  if (kind == "vulkan") {
    Target target{std::string(name), {"--iree-hal-target-device=vulkan"}, {"vulkan"}};
    if (!chip.empty()) {
      target.flags.push_back("--iree-vulkan-target=" + chip);
    }
    return target;
  }
  if (kind == "rocm" && !chip.empty()) {
    return Target{
        std::string(name), {"--iree-hal-target-device=hip", "--iree-rocm-target=" + chip}, {"hip"}};
  }
  if (kind == "cuda" && !chip.empty()) {
    return Target{std::string(name),
                  {"--iree-hal-target-device=cuda", "--iree-cuda-target=" + chip},
                  {"cuda"}};
  }
  return userError(
      "unknown target '{}'; expected local, vulkan, vulkan:CHIP, rocm:CHIP (rocm:gfx942) or "
      "cuda:CHIP (cuda:sm_80)",
      name);
}

}  // namespace hone::iree
