#pragma once

namespace hone::kernel {

/// The file descriptors through which a worker child gets requests and sends answers.
inline constexpr int kRequests = 3;
inline constexpr int kAnswers = 4;

}  // namespace hone::kernel
