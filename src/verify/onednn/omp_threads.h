#pragma once

#include <omp.h>

namespace hone::verify {

/// oneDNN of Debian runs on OpenMP, and asks it how many threads there are: so many while this
/// lives. With one asked for, libgomp never starts another.
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
