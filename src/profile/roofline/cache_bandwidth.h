#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/library_provider.h"

namespace hone::profile {

/// Bandwidth of data that fits a cache.
struct CacheBandwidth {
  double bytes = 0;  ///< capacity for all threads together
  double gbps = 0;

  bool operator==(const CacheBandwidth&) const = default;
};

/// Returns the bandwidths from a cache file, keyed by CPU, number of threads and version of hone.
/// Measures them if the file is missing or damaged. Failure to write the file is not an error.
[[nodiscard]] Result<std::vector<CacheBandwidth>> loadCacheBandwidths(
    const std::filesystem::path& cacheFolder, const LibraryProvider& provider, int threads,
    const std::string& honeVersion);

}  // namespace hone::profile
