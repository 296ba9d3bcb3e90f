#pragma once

#include <sys/types.h>

#include <vector>

namespace hone::bench {

/// Child processes that load the cores in bursts, like neighbours on a shared machine. They end on
/// destruction, or with this process.
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
