#pragma once

#include <string>
#include <vector>

namespace hone::kernel {

/// Returns the defences that this system lacks, "seccomp" and "landlock". Tests them in a child.
[[nodiscard]] std::vector<std::string> missingDefences();

/// Returns a one-line warning about missing defences; "" if `missing` is empty.
[[nodiscard]] std::string formatWarning(const std::vector<std::string>& missing);

}  // namespace hone::kernel
