#include "serve/access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/machine.h"
#include "base/text/text.h"

namespace hone::serve {
namespace {

constexpr std::size_t kMinTokenLength = 16;

bool isIpAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

/// Strips brackets and port from "[::1]:8080" or "localhost:8080".
std::string stripPort(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end == std::string_view::npos ? std::string() : toLower(host.substr(1, end - 1));
  }
  return toLower(host.substr(0, host.find(':')));
}

/// Returns the token in "a=b; hone-token=…".
std::string_view findToken(std::string_view cookies) {
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

/// Returns true if the token needs no quoting in a cookie or header.
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

bool constantTimeEqual(std::string_view a, std::string_view b) {
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
        "a token is required to listen on {}; set a secret in an environment variable and use "
        "--address {} --token-from HONE_TOKEN",
        address, address);
  }
  if (!token.empty() && (token.size() < kMinTokenLength || !isPlain(token))) {
    return userError(
        "invalid token: expected at least {} letters, digits or -_.~; "
        "use `openssl rand -hex 16` to create one",
        kMinTokenLength);
  }
  return Access(address, std::move(token));
}

bool Access::isOwnName(std::string_view host) const {
  const std::string name = stripPort(host);
  if (name == "localhost" || isLoopback(name)) {
    return true;
  }
  return !isLoopback(address_) &&
         (isIpAddress(name) || name == toLower(hostName()) || name == toLower(address_));
}

Access::Decision Access::decide(const Credentials& credentials) const {
  if (!isOwnName(credentials.host)) {
    return Decision::wrongHost;
  }
  if (token_.empty()) {
    return Decision::granted;
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view bearer = credentials.authorization.starts_with(kBearer)
                                      ? credentials.authorization.substr(kBearer.size())
                                      : std::string_view();
  const bool byHeader = constantTimeEqual(bearer, token_);
  const bool byCookie = constantTimeEqual(findToken(credentials.cookies), token_);
  return byHeader || byCookie ? Decision::granted : Decision::needsToken;
}

}  // namespace hone::serve
