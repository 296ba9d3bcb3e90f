#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace hone::app {

/// Describes a parse error and the help page to read. Names an unknown command or option and
/// suggests the nearest one, and says which values are expected, unlike CLI11.
[[nodiscard]] std::string describeParseError(const CLI::App& app, const CLI::ParseError& error);

}  // namespace hone::app
