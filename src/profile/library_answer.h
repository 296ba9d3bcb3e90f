#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "verify/library_times.h"

namespace hone::profile {

/// Answer of the child process that times a library: times, or the reason why there are none.
struct LibraryAnswer {
  std::string unsupported;  ///< reason; "" if there are times
  verify::LibraryTimes times;

  bool operator==(const LibraryAnswer&) const = default;
};

/// Returns the answer as one line of JSON.
[[nodiscard]] std::string formatAnswer(const LibraryAnswer& answer);
/// Returns the memory bandwidth in GB/s as one line of JSON.
[[nodiscard]] std::string formatBandwidth(double gbps);

/// Parses the last line of the child's output; returns a machine error if it is not an answer.
[[nodiscard]] Result<LibraryAnswer> libraryAnswerFrom(std::string_view out);
[[nodiscard]] Result<double> bandwidthFrom(std::string_view out);

}  // namespace hone::profile
