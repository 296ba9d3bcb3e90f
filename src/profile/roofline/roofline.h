#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "model/problem/element_type.h"
#include "profile/library_provider.h"

namespace hone::profile {

/// Limits of this machine: the peak of a tuned library's matmul and the bandwidth of main memory.
/// Data that fits a cache can exceed the bandwidth.
struct Roofline {
  double gflops = 0;
  double gbps = 0;

  bool operator==(const Roofline&) const = default;
};

/// Returns the attainable GFLOP/s of `flops` operations on `bytes` of memory: limited by the peak
/// or by the bandwidth.
[[nodiscard]] double attainable(const Roofline& roofline, double flops, double bytes);

/// Returns the roofline from a cache file, keyed by CPU, number of threads, type and version of
/// hone. Measures it if the file is missing or damaged. Failure to write the file is not an error.
[[nodiscard]] Result<Roofline> loadRoofline(const std::filesystem::path& cacheFolder,
                                            const LibraryProvider& provider,
                                            model::ElementType type, int threads,
                                            const std::string& honeVersion);

/// Rooflines of one run on a device; reads or measures each type once.
class Rooflines {
 public:
  /// The provider must outlive the object.
  Rooflines(std::filesystem::path cacheFolder, const LibraryProvider& provider, int threads,
            std::string honeVersion)
      : cacheFolder_(std::move(cacheFolder)),
        provider_(provider),
        threads_(threads),
        honeVersion_(std::move(honeVersion)) {}

  [[nodiscard]] Result<Roofline> of(model::ElementType type);
  /// Returns the rooflines requested so far.
  [[nodiscard]] const std::map<model::ElementType, Roofline>& known() const { return known_; }

 private:
  std::filesystem::path cacheFolder_;
  const LibraryProvider& provider_;
  int threads_;
  std::string honeVersion_;
  std::map<model::ElementType, Roofline> known_;
};

}  // namespace hone::profile
