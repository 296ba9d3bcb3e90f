#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "model/problem/element_type.h"
#include "profile/library_provider.h"

namespace hone::profile {

/// What this machine can do at best: a tuned library's matmul, and the main memory. Data that fit a
/// cache can be read quicker than that.
struct Roofline {
  double gflops = 0;
  double gbps = 0;

  bool operator==(const Roofline&) const = default;
};

/// GFLOP/s that `flops` operations on `bytes` of memory can reach: the peak, or what the memory
/// feeds.
[[nodiscard]] double attainable(const Roofline& roofline, double flops, double bytes);

/// Measures for computing in the element type. Types for which the library has no code of its own
/// get the peak of f32: f64 half of it, f16 and wide integers the same. Waits for the measuring
/// lane: the caller must not be in it.
[[nodiscard]] Result<Roofline> measureRoofline(const LibraryProvider& provider,
                                               model::ElementType type, int threads);

/// The same, kept in a file of the folder for this CPU, number of threads, type and version of
/// hone. A file that is missing or damaged is made again; one that cannot be written is no error.
[[nodiscard]] Result<Roofline> rooflineOf(const std::filesystem::path& cacheFolder,
                                          const LibraryProvider& provider, model::ElementType type,
                                          int threads, const std::string& honeVersion);

/// The rooflines of one run on a device: each type's file is read, or made, once.
class Rooflines {
 public:
  /// The provider must outlive it.
  Rooflines(std::filesystem::path cacheFolder, const LibraryProvider& provider, int threads,
            std::string honeVersion)
      : cacheFolder_(std::move(cacheFolder)),
        provider_(provider),
        threads_(threads),
        honeVersion_(std::move(honeVersion)) {}

  [[nodiscard]] Result<Roofline> of(model::ElementType type);
  /// Those that were asked for.
  [[nodiscard]] const std::map<model::ElementType, Roofline>& known() const { return known_; }

 private:
  std::filesystem::path cacheFolder_;
  const LibraryProvider& provider_;
  int threads_;
  std::string honeVersion_;
  std::map<model::ElementType, Roofline> known_;
};

}  // namespace hone::profile
