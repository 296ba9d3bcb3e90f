#pragma once

#include <string>
#include <vector>

namespace hone::kernel {

/// A feature of this Linux that confines kernels or helps to observe them.
struct SystemDefence {
  std::string name;  ///< "Landlock"
  bool available = false;
  std::string detail;   ///< "version 7"
  std::string purpose;  ///< "hides files from kernels and compilers"
};

/// Tests which defences this system offers; some of them in a child process.
[[nodiscard]] std::vector<SystemDefence> systemDefences();

}  // namespace hone::kernel
