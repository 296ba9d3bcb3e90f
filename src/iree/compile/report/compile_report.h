#pragma once

#include <cstdint>
#include <string>

#include "base/process/subprocess.h"
#include "model/result/outcome.h"

namespace hone::iree {

/// The result of a compile job.
struct CompileReport {
  enum class Status : std::uint8_t {
    ok,
    badFlag,     ///< a compiler flag is unknown or malformed
    badSource,   ///< the source does not parse
    noMatch,     ///< an attribute of the config matches no operation or does not parse
    noVariants,  ///< the program cannot be cloned: its configs need separate modules
    failed,      ///< the passes failed, or the compiler crashed
    outOfMemory,
    timedOut,
  };
  std::uint64_t id = 0;
  Status status = Status::ok;
  std::string message;      ///< one line for the user; "" if ok
  std::string diagnostics;  ///< the compiler's complete output
  Ending ending;

  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

/// Message of a job that was not started because its deadline had passed.
inline constexpr const char* kOutOfTime = "the time budget was used up";

/// Converts the status of a compile to the outcome of its trial.
[[nodiscard]] model::Outcome toOutcome(CompileReport::Status status);

}  // namespace hone::iree
