#include "kernel/worker/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace hone::kernel {

std::span<const CountedEvent> processorEvents() {
  static constexpr auto kEvents =
      std::to_array<CountedEvent>({{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                   {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                   {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}});
  return kEvents;
}

std::optional<Counters> Counters::open(pid_t pid, std::span<const CountedEvent> events) {
  Counters counters;
  for (const CountedEvent& event : events) {
    perf_event_attr attribute{};
    attribute.size = sizeof attribute;
    attribute.type = event.type;
    attribute.config = event.config;
    attribute.exclude_kernel = 1;
    attribute.exclude_hv = 1;
    attribute.disabled = counters.descriptors_.empty() ? 1 : 0;
    attribute.read_format = PERF_FORMAT_GROUP;
    const int leader = counters.descriptors_.empty() ? -1 : counters.descriptors_.front();
    const auto descriptor = static_cast<int>(
        ::syscall(SYS_perf_event_open, &attribute, pid, -1, leader, PERF_FLAG_FD_CLOEXEC));
    if (descriptor < 0) {
      return std::nullopt;
    }
    counters.descriptors_.push_back(descriptor);
  }
  return counters;
}

Counters::~Counters() {
  for (const int descriptor : descriptors_) {
    ::close(descriptor);
  }
}

void Counters::start() const {
  ::ioctl(descriptors_.front(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ::ioctl(descriptors_.front(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

std::vector<double> Counters::stop() const {
  ::ioctl(descriptors_.front(), PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  // The number of events, followed by their counts.
  std::vector<std::uint64_t> numbers(descriptors_.size() + 1);
  const auto bytes = static_cast<ssize_t>(numbers.size() * sizeof(std::uint64_t));
  if (::read(descriptors_.front(), numbers.data(), static_cast<std::size_t>(bytes)) != bytes) {
    return {};
  }
  return {numbers.begin() + 1, numbers.end()};
}

}  // namespace hone::kernel
