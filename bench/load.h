#pragma once

#include <sys/types.h>

#include <vector>

namespace hone::bench {

/// Children that keep the cores busy, in bursts as neighbours on a shared machine do; they end with
/// the value, or with this process.
class Load {
 public:
  explicit Load(std::size_t children);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load();

 private:
  std::vector<pid_t> children_;
};

}  // namespace hone::bench
