#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "split/source/source.h"

namespace hone::split {

/// An error about a source that is written otherwise than hone can edit it.
template <typename... Args>
[[nodiscard]] std::unexpected<Error> otherForm(const Source& source, int line,
                                               fmt::format_string<Args...> format, Args&&... args) {
  return source.error(line, "{}: hone edits only the two forms of docs/split.md",
                      fmt::format(format, std::forward<Args>(args)...));
}

/// A function that a source defines, by the indices of its tokens.
struct Definition {
  std::size_t name = 0;
  std::size_t parametersBegin = 0, parametersEnd = 0;  ///< without the brackets
  std::size_t bodyBegin = 0, bodyEnd = 0;              ///< without the braces
};

/// The definition of the function; nothing where there is none. Two of them, or one with
/// preprocessor lines in it or around it, are a user error.
[[nodiscard]] Result<std::optional<Definition>> findDefinition(const Source& source,
                                                               std::string_view name);

/// The tokens from `begin` to `end` that stand in no bracket of their own.
[[nodiscard]] std::vector<std::size_t> topLevel(const Source& source, std::size_t begin,
                                                std::size_t end);

/// The names of the parameters; each of `sizes` must be one of them, an int64_t.
[[nodiscard]] Result<std::vector<std::string>> parametersOf(
    const Source& source, const Definition& definition,
    std::initializer_list<std::string_view> sizes);

/// The index behind the statement at `at` that does nothing but give limitParallelLoops a value: an
/// assignment, or a chain of if and else that ends in an else, all with braces.
[[nodiscard]] Result<std::size_t> endOfLimitStatement(const Source& source, std::size_t at,
                                                      std::size_t end);

}  // namespace hone::split
