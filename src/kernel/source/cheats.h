#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/source/source.h"

namespace hone::kernel {

/// Something in a source that kernels have no use for and cheats have.
struct Cheat {
  int line = 0;
  std::string what;  ///< "starts a process (fork)"

  /// "line 12: starts a process (fork)"
  [[nodiscard]] std::string text() const;
  bool operator==(const Cheat&) const = default;
};

/// Reads the source, comments left out, for what cheats do; in the order of its lines. A first look
/// that gives clear messages: what it does not see meets the sandbox and the comparison of results.
[[nodiscard]] std::vector<Cheat> findCheats(const Source& source);

[[nodiscard]] std::vector<Cheat> findCppCheats(std::string_view text);
[[nodiscard]] std::vector<Cheat> findPythonCheats(std::string_view text);

}  // namespace hone::kernel
