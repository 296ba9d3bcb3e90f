#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

/// Returns the undefined symbols of a shared object, including weak ones. Fails if the file is not
/// a 64-bit ELF file for this machine.
[[nodiscard]] Result<std::vector<std::string>> neededSymbols(const std::filesystem::path& library);

/// Returns true if a kernel may use the symbol: memory, math, printing, OpenMP, threads and the C++
/// library without clocks and files.
[[nodiscard]] bool isAllowedSymbol(std::string_view symbol);

}  // namespace hone::kernel
