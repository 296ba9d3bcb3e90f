#include "engine/compile_patience.h"

#include <algorithm>

#include "stats/summary.h"

namespace hone::engine {
namespace {

constexpr double kTimesAsLong = 10;
constexpr std::int64_t kLeastMs = 10'000;
/// The compiler's own choice may be far simpler than what is tried.
constexpr std::int64_t kLeastUntilKnownMs = 60'000;
constexpr std::size_t kEnough = 8;

}  // namespace

std::optional<std::chrono::milliseconds> CompilePatience::limit() const {
  const bool enough = wallNs_.size() >= kEnough;
  if (!enough && defaultNs_ == 0) {
    return std::nullopt;
  }
  const double ms = kTimesAsLong * (enough ? stats::median(wallNs_) : defaultNs_) / 1e6;
  const std::int64_t least = enough ? kLeastMs : kLeastUntilKnownMs;
  return std::chrono::milliseconds(std::max(least, static_cast<std::int64_t>(ms)));
}

}  // namespace hone::engine
