#include "kernel/worker/counters.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace hone::kernel {
namespace {

/// Page faults are counted by the system, so they need no hardware support.
constexpr auto kFaults = std::to_array<CountedEvent>(
    {{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}, {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY}});

TEST(Counters, CountBetweenStartAndStop) {
  const auto counters = Counters::open(::getpid(), kFaults);
  if (!counters) {
    GTEST_SKIP() << "this system has no event counters";
  }
  constexpr std::size_t kPages = 64;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* room = ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  ::madvise(room, kPages * page, MADV_NOHUGEPAGE);
  counters->start();
  for (std::size_t i = 0; i < kPages; ++i) {
    static_cast<volatile char*>(room)[i * page] = 1;
  }
  const std::vector<double> counts = counters->stop();
  ::munmap(room, kPages * page);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_GE(counts[0], kPages);
  counters->start();
  EXPECT_LT(counters->stop().front(), kPages) << "start() must reset the count";
}

TEST(Counters, FailForMissingProcess) { EXPECT_FALSE(Counters::open(1 << 30, kFaults)); }

}  // namespace
}  // namespace hone::kernel
