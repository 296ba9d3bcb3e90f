#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/result/summary/profile_row.h"

namespace hone::report {

/// User-defined leading columns from "--tags k:v,k:v".
using Tags = std::vector<std::pair<std::string, std::string>>;

/// Parses tags; fails with a user error if a tag is not "k:v" or a key is repeated.
[[nodiscard]] Result<Tags> tagsFrom(std::string_view text);

/// Formats one dispatch exactly as IREE's dispatch profiler does, followed by the additional
/// fields of hone.
[[nodiscard]] std::string profileBlock(const model::ProfileRow& row);

/// Formats the rows in order as a table that fits `width`.
[[nodiscard]] std::string profileTable(std::span<const model::ProfileRow> rows, std::size_t width);

/// Formats the rows with the CSV columns of IREE's dispatch profiler, then the columns of hone.
[[nodiscard]] std::string profileCsv(std::span<const model::ProfileRow> rows, const Tags& tags);
/// Appends the rows to earlier CSV text; fails with a user error if its columns differ.
[[nodiscard]] Result<std::string> appendedCsv(const std::string& before,
                                              std::span<const model::ProfileRow> rows,
                                              const Tags& tags);

/// Formats a JUnit test suite with one case per dispatch; a wrong result is a failure.
[[nodiscard]] std::string profileJunit(std::span<const model::ProfileRow> rows);

}  // namespace hone::report
