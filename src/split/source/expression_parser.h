#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "split/source/code_tree.h"

namespace hone::split {

/// Returns true if `text` is not empty and among `texts`.
[[nodiscard]] bool isOneOf(std::span<const std::string_view> texts, std::string_view text);

/// Parses the expression in the tokens from `begin` to `end`, which must have balanced brackets;
/// `unknown` if it is not understood.
[[nodiscard]] Expression parseExpression(const Source& source, std::size_t begin, std::size_t end);

}  // namespace hone::split
