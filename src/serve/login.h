#pragma once

#include <string>

namespace hone::serve {

/// A page that asks for the token and keeps it in a cookie: it is never part of an address, which
/// histories and logs keep.
[[nodiscard]] std::string loginPage();

}  // namespace hone::serve
