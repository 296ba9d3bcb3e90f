#pragma once

#include <cstdint>
#include <string_view>

#include "kernel/judge/judge_result.h"

namespace hone::kernel {

/// The part of the judge that stopped a kernel.
enum class Defence : std::uint8_t {
  none,         ///< the kernel passed
  scan,         ///< the source scan
  compiler,     ///< flags, confinement of the compiler, compile errors
  symbols,      ///< symbols and files that the built library needs
  sandbox,      ///< the process failed, or a forbidden operation was stopped
  comparison,   ///< outputs differ from the reference
  observation,  ///< clocks, threads and counters of the process, seen from outside
  limits,       ///< time limits
};

/// Returns e.g. "source scan".
[[nodiscard]] std::string_view nameOf(Defence defence);

/// Fact of a JudgeResult that names the defence, set where the outcome alone does not tell.
inline constexpr const char* kDefence = "stopped_by";

/// Returns the defence that decided.
[[nodiscard]] Defence findDefence(const JudgeResult& judged);

}  // namespace hone::kernel
