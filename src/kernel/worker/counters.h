#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hone::kernel {

/// What can be counted, in the numbers of perf_event_open.
struct CountedEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

/// Instructions, cycles and misses of the last-level cache, in this order.
[[nodiscard]] std::span<const CountedEvent> processorEvents();

/// Counts what the first thread of a process does outside of the system's kernel.
class Counters {
 public:
  /// Nothing where the processor has no such counters, or the system does not give them.
  [[nodiscard]] static std::optional<Counters> open(pid_t pid,
                                                    std::span<const CountedEvent> events);
  Counters(Counters&& other) noexcept : descriptors_(std::exchange(other.descriptors_, {})) {}
  Counters& operator=(Counters&& other) noexcept {
    std::swap(descriptors_, other.descriptors_);
    return *this;
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters();

  /// From nothing on.
  void start() const;
  /// One number an event; none where they could not be read.
  [[nodiscard]] std::vector<double> stop() const;

 private:
  Counters() = default;

  std::vector<int> descriptors_;  ///< the first leads the others
};

}  // namespace hone::kernel
