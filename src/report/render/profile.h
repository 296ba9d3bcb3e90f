#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/result/summary/profile_row.h"

namespace hone::report {

/// "--tags k:v,k:v": columns of the user's own, in front of the others.
using Tags = std::vector<std::pair<std::string, std::string>>;

/// Not "k:v", or a key twice: a user error.
[[nodiscard]] Result<Tags> tagsFrom(std::string_view text);

/// The report of one dispatch as IREE's dispatch profiler prints it, to the letter, and below it
/// what that lacks.
[[nodiscard]] std::string profileBlock(const model::ProfileRow& row);

/// The rows as a table that fits the width, in their order.
[[nodiscard]] std::string profileTable(std::span<const model::ProfileRow> rows, std::size_t width);

/// As that profiler wrote it, new columns after its own.
[[nodiscard]] std::string profileCsv(std::span<const model::ProfileRow> rows, const Tags& tags);
/// The rows put below those of an earlier text; other columns there are a user error.
[[nodiscard]] Result<std::string> appendedCsv(const std::string& before,
                                              std::span<const model::ProfileRow> rows,
                                              const Tags& tags);

/// A test suite for CI: a case for every dispatch, failed where its results are wrong.
[[nodiscard]] std::string profileJunit(std::span<const model::ProfileRow> rows);

}  // namespace hone::report
