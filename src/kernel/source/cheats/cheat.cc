#include "kernel/source/cheats/cheat.h"

#include <fmt/format.h>

namespace hone::kernel {

std::string Cheat::text() const { return fmt::format("line {}: {}", line, what); }

}  // namespace hone::kernel
