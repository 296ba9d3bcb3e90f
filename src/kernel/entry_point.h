#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// C++ without its comments, line breaks kept.
[[nodiscard]] std::string withoutComments(std::string_view code);

/// The types of the parameters of `kernel(…)` in C++, without their names and spellings that make
/// no difference ("restrict", "std::"); nothing where there is no such function.
[[nodiscard]] std::optional<std::vector<std::string>> entryTypes(std::string_view code);

/// The line that declares the entry point, as it is written, for people; "" where there is none.
[[nodiscard]] std::string entryLine(std::string_view code);

}  // namespace hone::kernel
