#pragma once

#include <string>

namespace hone::kernel {

/// A construct that honest kernels do not need.
struct Cheat {
  int line = 0;
  std::string what;  ///< "starts a process (fork)"

  /// Returns e.g. "line 12: starts a process (fork)".
  [[nodiscard]] std::string text() const;
  bool operator==(const Cheat&) const = default;
};

}  // namespace hone::kernel
