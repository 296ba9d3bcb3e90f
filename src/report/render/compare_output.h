#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/data/compare.h"
#include "report/data/document.h"

namespace hone::report {

/// Formats a table that fits `width`, with at most `limit` lines (0: all), and a summary.
[[nodiscard]] std::string compareText(const RunComparison& comparison, std::size_t width,
                                      std::size_t limit);
[[nodiscard]] nlohmann::json compareJson(const RunComparison& comparison);
[[nodiscard]] Document compareDocument(const RunComparison& comparison);

}  // namespace hone::report
