#pragma once

#include <array>
#include <cstdint>

namespace hone::kernel {

/// File descriptors of a kernel's process at its start.
inline constexpr int kRequests = 3;  ///< C++: the setup; Python: requests
inline constexpr int kReplies = 4;   ///< Python only
inline constexpr int kControl = 5;   ///< the control page, read-only
inline constexpr int kStatus = 6;    ///< the status page

/// Work of one call of a Python process.
enum class Step : std::uint32_t {
  verify,  ///< a watched call
  time,    ///< a call and the copy of its outputs
  bind,    ///< parts of a call on a GPU
  run,
  copy,
};

/// Selects the next call. Written by the supervisor while the process is frozen; read-only in the
/// process.
struct ControlPage {
  std::uint32_t call = 0;   ///< index into the calls of the setup
  std::uint32_t step = 0;   ///< Python only; a C++ kernel must not learn what a call is for
  std::uint32_t asked = 1;  ///< number of stops that the process owes so far
};

/// Side of a tensor that an access missed.
enum class AccessSide : std::uint32_t { before, inside, after };

/// Numbers that describe a fault. Written by the kernel's process, so they explain a failure and
/// prove nothing.
struct FaultNumbers {
  std::uint32_t signal = 0;
  std::uint32_t systemCall = 0;  ///< for SIGSYS
  std::uint32_t tensor = 0;      ///< 1 + the index of the accessed tensor; 0: none
  std::uint32_t side = 0;
  std::uint32_t write = 0;
};

/// Written by the kernel's process.
struct StatusPage {
  /// Number of stops that the process made itself. A stop with another number than
  /// ControlPage::asked comes from another process.
  std::uint32_t done = 0;
  std::uint32_t landlock = 0;  ///< 1: reading is restricted. Valid at the first stop only.
  std::uint32_t seccomp = 0;   ///< 1: system calls are restricted. Valid at the first stop only.
  FaultNumbers fault;
};

/// Exit codes of the runner. A kernel can exit with any of them and only fails.
enum class RunnerExit : int {
  setup = 101,     ///< before the first stop: hone or the machine failed
  loading = 102,   ///< the library cannot be loaded
  function = 103,  ///< the library lacks the function
  memory = 104,    ///< std::bad_alloc
  exception = 105,
  fault = 106,  ///< a signal; see StatusPage::fault
};

}  // namespace hone::kernel
