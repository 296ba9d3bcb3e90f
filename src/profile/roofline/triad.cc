#include "profile/roofline/triad.h"

#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/machine.h"

namespace hone::profile {
namespace {

constexpr int kPasses = 8;
/// A pass repeats a short triad until it has moved this much, so that its time can be measured.
constexpr std::size_t kMinPassBytes = std::size_t{32} << 20U;
constexpr std::size_t kArrays = 3;
/// Not a vector, which would touch all pages from one thread.
using Array = std::unique_ptr<double[]>;  // NOLINT(modernize-avoid-c-arrays)

/// Compiled for wide vectors, without which a cache cannot be used to its full bandwidth.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void triad(double* a, const double* b, const double* c, double scale, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = b[i] + scale * c[i];
  }
}

/// Each thread works on the part of the arrays that it touched first, so that the pages are local
/// to it.
class Triad {
 public:
  Triad(int threads, std::size_t length)
      : threads_(static_cast<std::size_t>(threads)),
        length_(length),
        repeats_(1 + kMinPassBytes / (kArrays * sizeof(double) * length)),
        a_(new double[length]),
        b_(new double[length]),
        c_(new double[length]),
        start_(threads) {}

  /// Returns the minimum time of one triad.
  double bestNs() {
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads_; ++i) {
        others.emplace_back([this, i] { work(i); });
      }
      work(0);
    }
    return *std::min_element(passNs_.begin(), passNs_.end()) / static_cast<double>(repeats_);
  }

 private:
  void work(std::size_t index) {
    const std::size_t begin = length_ / threads_ * index;
    const std::size_t end = index + 1 == threads_ ? length_ : begin + length_ / threads_;
    std::fill(a_.get() + begin, a_.get() + end, 0.0);
    std::fill(b_.get() + begin, b_.get() + end, 1.0);
    std::fill(c_.get() + begin, c_.get() + end, 2.0);
    for (int pass = 0; pass < kPasses; ++pass) {
      start_.arrive_and_wait();
      const std::int64_t started = nowNs();
      for (std::size_t i = 0; i < repeats_; ++i) {
        triad(a_.get() + begin, b_.get() + begin, c_.get() + begin, 1.0 + pass, end - begin);
      }
      start_.arrive_and_wait();  // a pass lasts until the slowest thread is done
      if (index == 0) {
        passNs_.push_back(static_cast<double>(nowNs() - started));
      }
    }
  }

  std::size_t threads_;
  std::size_t length_;
  std::size_t repeats_;
  Array a_, b_, c_;
  std::barrier<> start_;
  std::vector<double> passNs_;
};

}  // namespace

std::size_t triadLength(std::size_t bytes) { return bytes / kArrays / sizeof(double); }

std::size_t triadLength() {
  constexpr std::size_t kMinBytes = std::size_t{32} << 20U;
  constexpr std::size_t kCacheFactor = 4;
  constexpr std::size_t kMemoryFraction = 8;
  const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::size_t wanted =
      std::max(kMinBytes, static_cast<std::size_t>(std::max(cache, 0L))) * kCacheFactor;
  const std::size_t bytes = std::min<std::size_t>(wanted, memoryBytes() / kMemoryFraction);
  return triadLength(bytes);
}

Result<double> triadBandwidth(int threads, std::size_t length) {
  if (threads < 1 || std::cmp_less(length, threads)) {
    return userError("triad: expected at least one thread and one element per thread");
  }
  if (length > memoryBytes() / kArrays / sizeof(double)) {
    return machineError("triad: not enough memory for the arrays");
  }
  try {
    const double ns = Triad(threads, length).bestNs();
    return static_cast<double>(kArrays * sizeof(double) * length) / std::max(ns, 1e-3);
  } catch (const std::bad_alloc&) {
    return machineError("triad: not enough memory for the arrays");
  } catch (const std::system_error& error) {
    return machineError("triad: cannot start threads: {}", error.what());
  }
}

}  // namespace hone::profile
