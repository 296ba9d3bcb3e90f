#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "verify/onednn/onednn_timing.h"

namespace hone::profile {

/// What the child that times a library says: times, or why there can be none.
struct LibraryAnswer {
  std::string unsupported;  ///< "" when there are times
  verify::LibraryTimes times;

  bool operator==(const LibraryAnswer&) const = default;
};

/// One line of JSON.
[[nodiscard]] std::string textOf(const LibraryAnswer& answer);
/// The same for the bandwidth of the memory, in GB/s.
[[nodiscard]] std::string textOfBandwidth(double gbps);

/// Reads the last line of what the child printed; a machine error when that is no such answer.
[[nodiscard]] Result<LibraryAnswer> libraryAnswerFrom(std::string_view out);
[[nodiscard]] Result<double> bandwidthFrom(std::string_view out);

}  // namespace hone::profile
