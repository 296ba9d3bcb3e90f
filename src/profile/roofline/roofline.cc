#include "profile/roofline/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "engine/machine_lock.h"

namespace hone::profile {
namespace {

using model::ElementType;
using model::Matmul;
using nlohmann::json;

/// Many short samples: the best one is undisturbed by other load, which matters as the result is
/// cached.
constexpr std::int64_t kIterations = 1;
constexpr std::int64_t kRepetitions = 25;

/// One large size as in real programs, and two that fit the caches of a core.
constexpr std::array<std::int64_t, 3> kSizes = {1024, 512, 384};

/// Returns the best rate of a few matmuls; nullopt if the library does not support the type.
Result<std::optional<double>> measurePeak(const LibraryProvider& provider, ElementType type,
                                          int threads) {
  std::optional<double> best;
  for (const std::int64_t size : kSizes) {
    Matmul matmul{.m = size, .n = size, .k = size, .lhs = type, .rhs = type};
    matmul.result = type == ElementType::i8 ? ElementType::i32 : ElementType::f32;
    const LibraryTimings timings =
        HONE_TRY(provider.time(matmul, threads, kIterations, kRepetitions));
    if (timings.status == LibraryTimings::Status::unsupported) {
      return std::nullopt;
    }
    if (timings.status != LibraryTimings::Status::ok) {
      return machineError("cannot measure the peak of this machine: {}", timings.message);
    }
    // The CPU time of a single thread does not include preemption by other programs.
    const auto& times = threads == 1 ? timings.times.cpuNs : timings.times.wallNs;
    const double ns = std::max(*std::min_element(times.begin(), times.end()), 1.0);
    best = std::max(best.value_or(0), countFlops(matmul) / ns);
  }
  return best;
}

Result<double> peakFor(const LibraryProvider& provider, ElementType type, int threads) {
  if (type == ElementType::i8 || type == ElementType::i1) {
    if (const auto peak = HONE_TRY(measurePeak(provider, ElementType::i8, threads))) {
      return *peak;
    }
  }
  const auto single = HONE_TRY(measurePeak(provider, ElementType::f32, threads));
  if (!single) {
    return machineError("cannot measure the peak of this machine: no f32 matmul");
  }
  if (type == ElementType::f64) {
    return *single / 2;
  }
  if (type == ElementType::bf16) {
    return std::max(*single, HONE_TRY(measurePeak(provider, type, threads)).value_or(0));
  }
  return *single;
}

struct CacheEntry {
  std::filesystem::path file;
  json key;

  CacheEntry(const std::filesystem::path& folder, ElementType type, int threads,
             const std::string& honeVersion)
      : key({{"cpu", cpuName()},
             {"threads", threads},
             {"type", nameOf(type)},
             {"hone", honeVersion}}) {
    constexpr std::size_t kShort = 16;
    file = folder / fmt::format("roofline-{}.json", hashBytes(key.dump()).substr(0, kShort));
  }

  /// Returns nullopt if the file is missing, damaged or has another key.
  [[nodiscard]] std::optional<Roofline> read() const {
    const auto text = readFile(file);
    const json stored = text ? json::parse(*text, nullptr, false) : json();
    if (!stored.is_object() || stored.value("key", json()) != key) {
      return std::nullopt;
    }
    const json& gflops = stored.value("gflops", json());
    const json& gbps = stored.value("gbps", json());
    if (!gflops.is_number() || !gbps.is_number()) {
      return std::nullopt;
    }
    const Roofline roofline{gflops.get<double>(), gbps.get<double>()};
    const bool sane = std::isfinite(roofline.gflops) && std::isfinite(roofline.gbps) &&
                      roofline.gflops > 0 && roofline.gbps > 0;
    return sane ? std::optional(roofline) : std::nullopt;
  }

  [[nodiscard]] Result<void> write(const Roofline& roofline) const {
    HONE_CHECK(makeFolder(file.parent_path()));
    const json stored = {{"key", key}, {"gflops", roofline.gflops}, {"gbps", roofline.gbps}};
    return writeFile(file, stored.dump(2) + "\n");
  }
};

/// Measures the roofline for an element type. Types the library does not support get a peak derived
/// from f32: half of it for f64, the same for f16 and wide integers. Acquires the machine lock, so
/// the caller must not hold it.
Result<Roofline> measureRoofline(const LibraryProvider& provider, ElementType type, int threads) {
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  Roofline roofline;
  roofline.gflops = HONE_TRY(peakFor(provider, type, threads));
  roofline.gbps = HONE_TRY(provider.bandwidth(threads));
  return roofline;
}

}  // namespace

double attainable(const Roofline& roofline, double flops, double bytes) {
  return bytes > 0 ? std::min(roofline.gflops, roofline.gbps * flops / bytes) : roofline.gflops;
}

Result<Roofline> loadRoofline(const std::filesystem::path& cacheFolder,
                              const LibraryProvider& provider, ElementType type, int threads,
                              const std::string& honeVersion) {
  const CacheEntry entry(cacheFolder, type, threads, honeVersion);
  if (const auto known = entry.read()) {
    return *known;
  }
  const Roofline measured = HONE_TRY(measureRoofline(provider, type, threads));
  (void)entry.write(measured);  // without the file the next run measures again
  return measured;
}

Result<Roofline> Rooflines::of(ElementType type) {
  if (const auto known = known_.find(type); known != known_.end()) {
    return known->second;
  }
  const Roofline roofline =
      HONE_TRY(loadRoofline(cacheFolder_, provider_, type, threads_, honeVersion_));
  known_.emplace(type, roofline);
  return roofline;
}

}  // namespace hone::profile
