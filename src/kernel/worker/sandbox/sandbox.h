#pragma once

#include <string>
#include <string_view>

namespace hone::kernel {

/// Returns "seccomp" if this system can filter system calls, otherwise "none: " and the reason.
[[nodiscard]] std::string sandboxKind();

/// Irrevocably forbids this process to start processes, use the network, write files, install
/// signal handlers, and write to descriptors other than those of the worker. Flagrant violations
/// raise SIGSYS; other calls fail. Libraries can still be loaded. Returns false if the filter
/// fails.
[[nodiscard]] bool enterSandbox();
/// Also forbids to open or read files, except for the request channel.
[[nodiscard]] bool closeFiles();

/// Describes the purpose of a system call that raised SIGSYS, e.g. "start a process".
[[nodiscard]] std::string_view describePurpose(int systemCall);

}  // namespace hone::kernel
