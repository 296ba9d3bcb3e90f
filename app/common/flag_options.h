#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
}

namespace hone::app {

/// The user's compiler flags of a command that compiles a program: `--flags "…"`, or after `--`.
class FlagOptions {
 public:
  void addTo(CLI::App& command);
  /// Returns the flags from both places; fails with a user error for a word that is not a flag.
  [[nodiscard]] Result<std::vector<std::string>> flags() const;

 private:
  std::string text_;
  std::vector<std::string> rest_;
};

/// Splits the value of an option into flags as a shell would.
[[nodiscard]] Result<std::vector<std::string>> splitFlags(std::string_view option,
                                                          const std::string& text);

}  // namespace hone::app
