#pragma once

#include <string>
#include <vector>

namespace hone::kernel {

/// What would keep a kernel in and cannot be had on this system, tried in a child: "seccomp",
/// "landlock"; none where all is well.
[[nodiscard]] std::vector<std::string> missingDefences();

/// What it means that these are missing, in a line; "" for none.
[[nodiscard]] std::string warningOf(const std::vector<std::string>& missing);

}  // namespace hone::kernel
