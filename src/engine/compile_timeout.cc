#include "engine/compile_timeout.h"

#include <algorithm>

#include "stats/summary.h"

namespace hone::engine {
namespace {

constexpr double kTimeoutFactor = 10;
constexpr std::int64_t kMinTimeoutMs = 10'000;
/// Minimum while only the default config is known, which may be much simpler than the others.
constexpr std::int64_t kMinInitialTimeoutMs = 60'000;
constexpr std::size_t kMinSamples = 8;

}  // namespace

std::optional<std::chrono::milliseconds> CompileTimeout::limit() const {
  const bool enough = wallNs_.size() >= kMinSamples;
  if (!enough && defaultNs_ == 0) {
    return std::nullopt;
  }
  const double ms = kTimeoutFactor * (enough ? stats::median(wallNs_) : defaultNs_) / 1e6;
  const std::int64_t minimum = enough ? kMinTimeoutMs : kMinInitialTimeoutMs;
  return std::chrono::milliseconds(std::max(minimum, static_cast<std::int64_t>(ms)));
}

}  // namespace hone::engine
