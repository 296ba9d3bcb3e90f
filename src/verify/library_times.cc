#include "verify/library_times.h"

#include "base/clock.h"

namespace hone::verify {

Result<void> timeCalls(const std::function<Result<void>()>& call, const CallCounts& counts,
                       LibraryTimes& times) {
  const auto calls = static_cast<double>(counts.iterations);
  for (std::int64_t repetition = 0; repetition <= counts.repetitions; ++repetition) {
    const std::int64_t wallStart = nowNs();
    const std::int64_t cpuStart = ownCpuNs();
    for (std::int64_t i = 0; i < counts.iterations; ++i) {
      HONE_CHECK(call());
    }
    const std::int64_t cpu = ownCpuNs() - cpuStart;
    const std::int64_t wall = nowNs() - wallStart;
    if (repetition > 0) {  // the first is the warm-up
      times.wallNs.push_back(static_cast<double>(wall) / calls);
      times.cpuNs.push_back(static_cast<double>(cpu) / calls);
    }
  }
  return {};
}

}  // namespace hone::verify
