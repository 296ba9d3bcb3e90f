#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

struct HttpRequest {
  std::string url;  ///< http or https
  std::vector<std::string> headers;
  std::string body;
  std::chrono::milliseconds timeout{300'000};
  std::size_t mostBytes = std::size_t{1} << 20U;  ///< of the answer; what is larger is cut off
};

struct HttpReply {
  long status = 0;  ///< 0: there was no whole answer, and `failure` says why
  std::string body;
  std::string failure;
  bool timedOut = false;
  bool tooLarge = false;
  std::chrono::seconds retryAfter{0};  ///< as the server asks for it; 0: it does not
};

/// Sends one request and waits for its answer. Redirects are not followed: what is in the headers
/// is for one server alone. An error is an address that cannot be used, or an interrupt.
[[nodiscard]] Result<HttpReply> post(const HttpRequest& request);

}  // namespace hone::kernel
