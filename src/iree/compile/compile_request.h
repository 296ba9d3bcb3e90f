#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "iree/compile/cache/job_cache.h"
#include "iree/compile/compile_report.h"
#include "iree/module/phases.h"
#include "model/result/config.h"

namespace hone::iree {

/// A source with the flags and attributes to compile it with.
struct CompileRequest {
  std::filesystem::path source;
  std::string sourceHash;
  std::vector<std::string> flags;
  std::vector<model::OpAttribute> attributes;
  /// The way through the compiler. Candidates that are compared must have the same route.
  enum class Route : std::uint8_t {
    whole,    ///< from the source in one go; for requests without attributes
    shared,   ///< by way of the IR before configuration, which requests of a source share
    batched,  ///< the same, and several in one module: a third of the work
  };
  Route route = Route::whole;
  /// The function that a batched request is about.
  std::string function{};          // NOLINT(readability-redundant-member-init): g++ warns without
  bool fresh = false;              ///< compiled even if the cache has it
  std::string from = kPhaseStart;  ///< the phase that the source has been brought to
  /// Stopped after this time, if that is less than the compiler's own limit.
  std::optional<std::chrono::milliseconds>
      wallLimit{};  // NOLINT(readability-redundant-member-init)
};

/// Returns the source of a request as that of a job.
[[nodiscard]] JobSource jobSource(const CompileRequest& request);

struct Compiled {
  CompileReport report;
  std::filesystem::path module;  ///< the .vmfb; "" when it failed
  std::string function;          ///< to call in it; "": the program's own function
  std::string content;           ///< a hash of its code: equal binaries of a route have equal ones
  bool cached = false;
  /// Which of its configurations the compiler did not use, in a sentence; "" when it used all.
  std::string ignored{};  // NOLINT(readability-redundant-member-init): g++ warns without
};

}  // namespace hone::iree
