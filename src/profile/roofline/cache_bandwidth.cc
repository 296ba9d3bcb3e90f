#include "profile/roofline/cache_bandwidth.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "engine/machine_lock.h"

namespace hone::profile {
namespace {

using nlohmann::json;

constexpr int kLevels = 4;
/// Threads have their own caches up to this level and share those above it.
constexpr int kLastPrivateLevel = 2;
/// A larger cache, as some virtual machines report, is not measured.
constexpr std::uint64_t kMemoryFraction = 8;

/// Returns the capacities of the caches for all threads together, the first level first.
std::vector<std::uint64_t> cacheCapacities(int threads) {
  std::vector<std::uint64_t> capacities;
  for (int level = 1; level <= kLevels; ++level) {
    const auto bytes = dataCacheBytes(level);
    if (!bytes) {
      continue;
    }
    const std::uint64_t copies =
        level <= kLastPrivateLevel ? static_cast<std::uint64_t>(threads) : 1;
    const std::uint64_t all = *bytes * copies;
    if (all <= memoryBytes() / kMemoryFraction && (capacities.empty() || all > capacities.back())) {
      capacities.push_back(all);
    }
  }
  return capacities;
}

json cacheKey(int threads, const std::string& honeVersion) {
  return {{"cpu", cpuName()},
          {"threads", threads},
          {"capacities", cacheCapacities(threads)},
          {"hone", honeVersion}};
}

/// Returns nullopt if the file is missing, damaged or has another key.
std::optional<std::vector<CacheBandwidth>> readBandwidths(const std::filesystem::path& file,
                                                          const json& key) {
  const auto text = readFile(file);
  const json stored = text ? json::parse(*text, nullptr, false) : json();
  if (!stored.is_object() || stored.value("key", json()) != key ||
      !stored.value("caches", json()).is_array()) {
    return std::nullopt;
  }
  std::vector<CacheBandwidth> caches;
  for (const json& one : stored.at("caches")) {
    const json bytes = one.is_object() ? one.value("bytes", json()) : json();
    const json gbps = one.is_object() ? one.value("gbps", json()) : json();
    if (!bytes.is_number() || !gbps.is_number() || !(bytes.get<double>() > 0) ||
        !(gbps.get<double>() > 0)) {
      return std::nullopt;
    }
    caches.push_back({bytes.get<double>(), gbps.get<double>()});
  }
  return caches;
}

/// Measures the bandwidth of every cache level, the first level first. Acquires the machine lock,
/// so the caller must not hold it.
Result<std::vector<CacheBandwidth>> measureCacheBandwidths(const LibraryProvider& provider,
                                                           int threads) {
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  std::vector<CacheBandwidth> caches;
  for (const std::uint64_t bytes : cacheCapacities(threads)) {
    // Half of the capacity leaves room for everything else.
    caches.push_back(
        {static_cast<double>(bytes), HONE_TRY(provider.bandwidth(threads, bytes / 2))});
  }
  // A level is at least as fast as the next one; other load may have disturbed it.
  for (std::size_t i = caches.size(); i-- > 1;) {
    caches[i - 1].gbps = std::max(caches[i - 1].gbps, caches[i].gbps);
  }
  return caches;
}

}  // namespace

Result<std::vector<CacheBandwidth>> loadCacheBandwidths(const std::filesystem::path& cacheFolder,
                                                        const LibraryProvider& provider,
                                                        int threads,
                                                        const std::string& honeVersion) {
  constexpr std::size_t kShort = 16;
  const json key = cacheKey(threads, honeVersion);
  const std::filesystem::path file =
      cacheFolder / fmt::format("caches-{}.json", hashBytes(key.dump()).substr(0, kShort));
  if (auto known = readBandwidths(file, key)) {
    return *std::move(known);
  }
  auto measured = HONE_TRY(measureCacheBandwidths(provider, threads));
  json stored = {{"key", key}, {"caches", json::array()}};
  for (const CacheBandwidth& cache : measured) {
    stored["caches"].push_back({{"bytes", cache.bytes}, {"gbps", cache.gbps}});
  }
  if (makeFolder(cacheFolder)) {
    (void)writeFile(file, stored.dump(2) + "\n");  // without it the next run measures again
  }
  return measured;
}

}  // namespace hone::profile
