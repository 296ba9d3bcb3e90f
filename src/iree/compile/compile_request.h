#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "iree/compile/cache/job_cache.h"
#include "iree/compile/report/compile_report.h"
#include "iree/module/phases.h"
#include "model/result/config.h"

namespace hone::iree {

/// A source with the flags and attributes to compile it with.
struct CompileRequest {
  std::filesystem::path source;
  std::string sourceHash;
  std::vector<std::string> flags;
  std::vector<model::OpAttribute> attributes;
  /// The path through the compiler. Only candidates with the same route are comparable.
  enum class Route : std::uint8_t {
    whole,    ///< from source to module in one run; for requests without attributes
    shared,   ///< from the IR before configuration, which requests of one source share
    batched,  ///< like shared, with several requests per module: a third of the work
  };
  Route route = Route::whole;
  /// The function to clone in a batch.
  std::string function{};
  bool fresh = false;              ///< bypasses the cache
  std::string from = kPhaseStart;  ///< the last phase that the source has completed
  /// Timeout, if it is shorter than the compiler's default.
  std::optional<std::chrono::milliseconds> wallLimit{};
  /// Name of the user's file for messages; "": that of the source.
  std::string label{};
  /// Monotonic time at which the compile times out, even before it starts; 0: none.
  std::int64_t deadlineNs = 0;

  [[nodiscard]] std::string displayName() const {
    return label.empty() ? source.filename().string() : label;
  }
};

/// Returns the source of a request for use in a job.
[[nodiscard]] JobSource jobSource(const CompileRequest& request);

/// A compiled request.
struct Compiled {
  CompileReport report;
  std::filesystem::path module;  ///< the .vmfb; "" on failure
  std::string function;          ///< the function to call; "" for the program's own function
  std::string content;           ///< a hash of the code; equal for equal binaries of one route
  bool cached = false;
  /// Describes the configurations that the compiler ignored; "" if it used all.
  std::string ignored{};
};

}  // namespace hone::iree
