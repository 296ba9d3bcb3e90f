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
  std::size_t maxBytes = std::size_t{1} << 20U;  ///< size limit of the reply
};

struct HttpReply {
  long status = 0;  ///< 0: no complete reply; see `failure`
  std::string body;
  std::string failure;
  bool timedOut = false;
  bool tooLarge = false;
  std::chrono::seconds retryAfter{0};  ///< as requested by the server; 0: not specified
};

/// Sends a request and waits for the reply. Does not follow redirects: the headers hold credentials
/// for this server only. Returns an error for an invalid address or an interrupt.
[[nodiscard]] Result<HttpReply> post(const HttpRequest& request);

}  // namespace hone::kernel
