#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::model {

/// Outcome of a trial. Stored by name: the names are part of the store's format.
enum class Outcome : std::uint8_t {
  ok,
  invalid,  ///< breaks a constraint and was not compiled; a kernel: rejected as a cheat
  compileFailed,
  compileTimeout,
  runFailed,
  runTimeout,
  mismatch,  ///< ran, but its results are wrong
  tooSlow,   ///< eliminated in screening: correct, but not a winner
};

/// Returns "ok", "compile_failed", …
[[nodiscard]] std::string_view nameOf(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcomeFrom(std::string_view name);

}  // namespace hone::model
