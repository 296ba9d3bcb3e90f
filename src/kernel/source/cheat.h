#pragma once

#include <string>

namespace hone::kernel {

/// Something in a source that kernels have no use for and cheats have.
struct Cheat {
  int line = 0;
  std::string what;  ///< "starts a process (fork)"

  /// "line 12: starts a process (fork)"
  [[nodiscard]] std::string text() const;
  bool operator==(const Cheat&) const = default;
};

}  // namespace hone::kernel
