#pragma once

namespace hone::kernel {

/// File descriptors of a worker child for requests and replies.
inline constexpr int kRequests = 3;
inline constexpr int kReplies = 4;

}  // namespace hone::kernel
