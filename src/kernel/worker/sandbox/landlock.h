#pragma once

#include <string>
#include <vector>

namespace hone::kernel {

/// Restricts this thread, and threads that it starts, to reading below `places` (Landlock). Returns
/// false, without any effect, if the system does not support it.
bool readOnlyBelow(const std::vector<std::string>& places);

}  // namespace hone::kernel
