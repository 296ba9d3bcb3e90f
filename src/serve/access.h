#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::serve {

/// "127.0.0.1", "::1", "localhost": addresses that only this machine reaches.
[[nodiscard]] bool isLoopback(std::string_view address);

/// Equal texts, in a time that does not tell where they differ.
[[nodiscard]] bool equalInSecret(std::string_view a, std::string_view b);

/// What of a request tells who asks.
struct Asker {
  std::string_view host;           ///< the header Host
  std::string_view authorization;  ///< the header Authorization
  std::string_view cookies;        ///< the header Cookie
};

/// Who may read. Any page in a browser may ask an address of this machine, so the name that it was
/// asked by must be one of ours: a stranger's name that leads here (DNS rebinding) is refused.
class Access {
 public:
  enum class Answer { granted, wrongHost, needsToken };

  /// Where others reach the address, a token is needed: without, or with one that could be guessed,
  /// a user error, which does not repeat it.
  [[nodiscard]] static Result<Access> make(const std::string& address, std::string token);

  [[nodiscard]] Answer decide(const Asker& asker) const;

 private:
  Access(std::string address, std::string token)
      : address_(std::move(address)), token_(std::move(token)) {}
  [[nodiscard]] bool isOurs(std::string_view host) const;

  std::string address_;
  std::string token_;  ///< "": none is needed
};

/// The cookie that holds the token: set by the page that asks for it.
inline constexpr std::string_view kCookie = "hone-token";

}  // namespace hone::serve
