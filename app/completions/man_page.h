#pragma once

#include <string>
#include <string_view>

#include "app/common/command_tree.h"

namespace hone::app {

/// Returns the manual page in roff with man macros. Pure ASCII, so that every formatter reads it.
[[nodiscard]] std::string manPage(const CommandHelp& root, std::string_view version);

}  // namespace hone::app
