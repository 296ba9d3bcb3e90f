#pragma once

#include <omp.h>

namespace hone::verify {

/// Sets the number of OpenMP threads, which Debian's oneDNN uses, and restores it on destruction.
/// With a count of 1, libgomp never starts a thread.
class OmpThreads {
 public:
  explicit OmpThreads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~OmpThreads() { omp_set_num_threads(before_); }
  OmpThreads(const OmpThreads&) = delete;
  OmpThreads& operator=(const OmpThreads&) = delete;

 private:
  int before_;
};

}  // namespace hone::verify
