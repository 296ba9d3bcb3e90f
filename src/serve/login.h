#pragma once

#include <string>

namespace hone::serve {

/// Returns a page that asks for the token and keeps it in a cookie. URLs never contain the token,
/// since browsers and proxies log them.
[[nodiscard]] std::string loginPage();

}  // namespace hone::serve
