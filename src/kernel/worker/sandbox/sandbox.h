#pragma once

#include <string>
#include <string_view>

namespace hone::kernel {

/// What keeps a kernel in its process: a filter of system calls (seccomp). "seccomp", or "none:"
/// and why.
[[nodiscard]] std::string sandboxKind();

/// From now on, in this process and for ever: no other process, no network, no file written, no
/// signal handlers, output to the descriptors of the worker only. What is plainly not allowed
/// raises SIGSYS, the rest fails. Libraries can still be loaded. False where it cannot be had.
[[nodiscard]] bool enterSandbox();
/// Then also no file opened or read but the requests.
[[nodiscard]] bool closeFiles();

/// What a system call that raised SIGSYS is for: "start a process".
[[nodiscard]] std::string_view purposeOf(int systemCall);

}  // namespace hone::kernel
