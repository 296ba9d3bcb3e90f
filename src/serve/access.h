#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::serve {

/// Returns true for addresses that only this machine reaches: "127.0.0.1", "::1", "localhost".
[[nodiscard]] bool isLoopback(std::string_view address);

/// Compares two strings in a time that does not reveal where they differ.
[[nodiscard]] bool constantTimeEqual(std::string_view a, std::string_view b);

/// Request headers that decide about access.
struct Credentials {
  std::string_view host;           ///< header Host
  std::string_view authorization;  ///< header Authorization
  std::string_view cookies;        ///< header Cookie
};

/// Access control. Any page in a browser can send requests to this machine, so the Host header must
/// name this machine. That rejects foreign names that resolve to it (DNS rebinding).
class Access {
 public:
  enum class Decision { granted, wrongHost, needsToken };

  /// Creates the access control. Fails with a user error if other machines reach `address` and
  /// there is no token, or if the token is too weak. The message does not contain the token.
  [[nodiscard]] static Result<Access> make(const std::string& address, std::string token);

  [[nodiscard]] Decision decide(const Credentials& credentials) const;

 private:
  Access(std::string address, std::string token)
      : address_(std::move(address)), token_(std::move(token)) {}
  [[nodiscard]] bool isOwnName(std::string_view host) const;

  std::string address_;
  std::string token_;  ///< empty if not required
};

/// Cookie with the token, set by the login page.
inline constexpr std::string_view kCookie = "hone-token";

}  // namespace hone::serve
