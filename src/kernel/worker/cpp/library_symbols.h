#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

/// The symbols that a shared object needs and does not define itself, weak ones included. An error
/// where the file is no 64-bit ELF of this machine.
[[nodiscard]] Result<std::vector<std::string>> neededSymbols(const std::filesystem::path& library);

/// Whether a kernel may need it: memory, mathematics, printing, OpenMP, threads and C++'s own
/// library, without its clocks and files.
[[nodiscard]] bool mayNeed(std::string_view symbol);

}  // namespace hone::kernel
