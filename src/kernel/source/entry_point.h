#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// How a C++ source declares `kernel(…)`, for the first time.
struct EntryPoint {
  std::vector<std::string> types;  ///< of its parameters, without names, "std::" and "restrict"
  std::string declaration;         ///< as it is written, on one line
  bool externC = false;            ///< some function of the file is
};

/// Nothing where there is no such function.
[[nodiscard]] std::optional<EntryPoint> entryPointOf(std::string_view code);

}  // namespace hone::kernel
