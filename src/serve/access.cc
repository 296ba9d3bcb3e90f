#include "serve/access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/machine.h"
#include "base/text/text.h"

namespace hone::serve {
namespace {

constexpr std::size_t kShortestToken = 16;

bool isIpAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

/// "[::1]:8080" and "localhost:8080" without brackets and port.
std::string nameIn(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end == std::string_view::npos ? std::string() : toLower(host.substr(1, end - 1));
  }
  return toLower(host.substr(0, host.find(':')));
}

/// The value of our cookie in "a=b; hone-token=…".
std::string_view tokenIn(std::string_view cookies) {
  while (!cookies.empty()) {
    const auto end = std::min(cookies.find(';'), cookies.size());
    const std::string_view cookie = trim(cookies.substr(0, end));
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    const auto equals = cookie.find('=');
    if (equals != std::string_view::npos && cookie.substr(0, equals) == kCookie) {
      return cookie.substr(equals + 1);
    }
  }
  return {};
}

/// What may stand in a cookie and in a header as it is.
bool isPlain(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
  });
}

}  // namespace

bool isLoopback(std::string_view address) {
  const std::string name(address);
  in_addr four{};
  if (::inet_pton(AF_INET, name.c_str(), &four) == 1) {
    constexpr std::uint32_t kLoopbackNet = 127;
    return ntohl(four.s_addr) >> 24U == kLoopbackNet;
  }
  return name == "::1" || toLower(name) == "localhost";
}

bool equalInSecret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

Result<Access> Access::make(const std::string& address, std::string token) {
  if (token.empty() && !isLoopback(address)) {
    return userError(
        "others reach {}: set a secret in an environment variable and name it, as in "
        "--address {} --token-from HONE_TOKEN",
        address, address);
  }
  if (!token.empty() && (token.size() < kShortestToken || !isPlain(token))) {
    return userError(
        "the token must have at least {} characters, letters, digits and -_.~ only; "
        "`openssl rand -hex 16` makes one",
        kShortestToken);
  }
  return Access(address, std::move(token));
}

bool Access::isOurs(std::string_view host) const {
  const std::string name = nameIn(host);
  if (name == "localhost" || isLoopback(name)) {
    return true;
  }
  return !isLoopback(address_) &&
         (isIpAddress(name) || name == toLower(hostName()) || name == toLower(address_));
}

Access::Answer Access::decide(const Asker& asker) const {
  if (!isOurs(asker.host)) {
    return Answer::wrongHost;
  }
  if (token_.empty()) {
    return Answer::granted;
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view bearer = asker.authorization.starts_with(kBearer)
                                      ? asker.authorization.substr(kBearer.size())
                                      : std::string_view();
  const bool byHeader = equalInSecret(bearer, token_);
  const bool byCookie = equalInSecret(tokenIn(asker.cookies), token_);
  return byHeader || byCookie ? Answer::granted : Answer::needsToken;
}

}  // namespace hone::serve
