#pragma once

#include <cstdint>
#include <string>

#include "base/process/subprocess.h"
#include "model/result/outcome.h"

namespace hone::iree {

/// The end of a compile job.
struct CompileReport {
  enum class Status : std::uint8_t {
    ok,
    badFlag,     ///< a compiler flag is unknown or ill-formed
    badSource,   ///< the source does not parse
    noMatch,     ///< an attribute of the config found no operation, or is no attribute
    noVariants,  ///< the program cannot be copied: its configs need separate modules
    failed,      ///< the passes failed, or the compiler crashed
    outOfMemory,
    timedOut,
  };
  std::uint64_t id = 0;
  Status status = Status::ok;
  std::string message;      ///< one line for a person; "" when ok
  std::string diagnostics;  ///< the compiler's whole output
  Ending ending;

  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

/// Converts the status of a compile to the outcome of its trial.
[[nodiscard]] model::Outcome outcomeOf(CompileReport::Status status);

}  // namespace hone::iree
