#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hone::kernel {

/// An event type in the encoding of perf_event_open.
struct CountedEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

/// Returns instructions, cycles and last-level cache misses, in this order.
[[nodiscard]] std::span<const CountedEvent> processorEvents();

/// Counts events of the first thread of a process in user mode.
class Counters {
 public:
  /// Opens the counters. Returns nullopt if the processor lacks them or the system denies access.
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

  /// Resets and starts the counters.
  void start() const;
  /// Stops the counters. Returns one number per event; empty if they cannot be read.
  [[nodiscard]] std::vector<double> stop() const;

 private:
  Counters() = default;

  std::vector<int> descriptors_;  ///< the first is the group leader
};

}  // namespace hone::kernel
