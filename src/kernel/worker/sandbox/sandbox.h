#pragma once

#include <string_view>

namespace hone::kernel {

/// Returns true if this system can filter system calls.
[[nodiscard]] bool canFilterCalls();

/// Forbids this process, irrevocably, to start processes, use the network, write files, install
/// signal handlers, resume stopped processes, choose its processors, add further filters, and write
/// to descriptors other than its output. Calls that no kernel makes by accident raise SIGSYS; other
/// forbidden calls fail. Libraries can still be loaded. Returns false if the filter fails.
[[nodiscard]] bool enterSandbox();

/// Describes the purpose of a system call that raised SIGSYS, e.g. "start a process".
[[nodiscard]] std::string_view describePurpose(int systemCall);

}  // namespace hone::kernel
