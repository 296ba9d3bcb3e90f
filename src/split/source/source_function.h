#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "split/source/source.h"

namespace hone::split {

/// A function definition, as token indices.
struct Definition {
  std::size_t name = 0;
  std::size_t parametersBegin = 0, parametersEnd = 0;  ///< without the brackets
  std::size_t bodyBegin = 0, bodyEnd = 0;              ///< without the braces
};

/// Finds the definition of a function; returns nullopt if there is none. A second definition, or
/// preprocessor lines in or around it, are user errors.
[[nodiscard]] Result<std::optional<Definition>> findDefinition(const Source& source,
                                                               std::string_view name);

/// Returns the parameter names; each of `sizes` must be a parameter of type int64_t.
[[nodiscard]] Result<std::vector<std::string>> findParameters(
    const Source& source, const Definition& definition,
    std::initializer_list<std::string_view> sizes);

}  // namespace hone::split
