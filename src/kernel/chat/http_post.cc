#include "kernel/chat/http_post.h"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string_view>

#include "base/process/interrupt.h"
#include "base/progress.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

constexpr long kConnectSeconds = 15;

struct Receiver {
  HttpReply& reply;
  std::size_t maxBytes;
};

std::size_t receive(char* data, std::size_t size, std::size_t count, void* user) {
  auto& [reply, maxBytes] = *static_cast<Receiver*>(user);
  const std::size_t bytes = size * count;
  if (reply.body.size() + bytes > maxBytes) {
    reply.tooLarge = true;
    return 0;
  }
  reply.body.append(data, bytes);
  return bytes;
}

/// Called about once per second, also while no data arrives.
int stopWhenInterrupted(void* /*user*/, curl_off_t /*all*/, curl_off_t /*now*/,
                        curl_off_t /*allUp*/, curl_off_t /*nowUp*/) {
  Progress::tick();
  return interrupted() ? 1 : 0;
}

struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using List = std::unique_ptr<curl_slist, FreeList>;

List makeList(const std::vector<std::string>& lines) {
  List list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

/// Returns true for addresses that must bypass a proxy from the environment.
bool isLoopback(const std::string& url) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  char* host = nullptr;
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
      curl_url_get(parsed.get(), CURLUPART_HOST, &host, 0) != CURLUE_OK) {
    return false;
  }
  const std::string name = host;
  curl_free(host);
  return name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

void setUp(CURL* handle, const HttpRequest& request, const curl_slist* headers) {
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, stopWhenInterrupted);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  if (isLoopback(request.url)) {
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  }
}

}  // namespace

Result<HttpReply> post(const HttpRequest& request) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, FreeHandle> handle(curl_easy_init());
  if (kReady != CURLE_OK || !handle) {
    return machineError("cannot initialize libcurl: {}", curl_easy_strerror(kReady));
  }
  HttpReply reply;
  Receiver receiver{reply, request.maxBytes};
  std::array<char, CURL_ERROR_SIZE> why{};
  const List headers = makeList(request.headers);
  setUp(handle.get(), request, headers.get());
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &receiver);
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, why.data());
  const Activity waiting("waiting for the model's answer");
  const CURLcode code = curl_easy_perform(handle.get());
  if (code == CURLE_OK) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &reply.status);
    curl_easy_getinfo(handle.get(), CURLINFO_RETRY_AFTER, &seconds);
    reply.retryAfter = std::chrono::seconds(seconds);
    return reply;
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return interruptedError();
  }
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    return userError("invalid server address {}: {}", request.url, curl_easy_strerror(code));
  }
  reply.timedOut = code == CURLE_OPERATION_TIMEDOUT;
  const char* said = why.front() != '\0' ? why.data() : curl_easy_strerror(code);
  reply.failure = reply.tooLarge ? fmt::format("reply exceeds {} KB", request.maxBytes / 1024)
                                 : std::string(trim(said));
  return reply;
}

}  // namespace hone::kernel
