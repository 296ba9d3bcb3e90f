#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// The first declaration of `kernel(…)` in a C++ source.
struct EntryPoint {
  std::vector<std::string> types;  ///< parameter types, without names, "std::" and "restrict"
  std::string declaration;         ///< as written, on one line
  bool externC = false;            ///< true if any function of the file is extern "C"
};

/// Finds the declaration; returns nullopt if there is none.
[[nodiscard]] std::optional<EntryPoint> findEntryPoint(std::string_view code);

}  // namespace hone::kernel
