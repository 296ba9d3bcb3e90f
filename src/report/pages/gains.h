#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/data/document.h"
#include "report/data/run_record.h"
#include "stats/compare.h"

namespace hone::report {

/// Result of an item that a run tried to make faster.
struct Gain {
  std::int64_t run = 0;
  std::string what;     ///< "tune: matmul"
  double beforeNs = 0;  ///< NaN if unknown, also in the fields below
  double afterNs = 0;   ///< NaN also if unchanged
  stats::Interval speedup;
  std::string verdict;  ///< "faster", "same", "slower", "ambiguous"
};

/// Returns the comparisons in the summary of a finished run, without number and command of the run.
[[nodiscard]] std::vector<Gain> readGains(const std::string& command,
                                          const nlohmann::json& summary);
/// Returns the comparisons of a finished run with its baseline; empty for runs that only measured.
/// A profile yields the configuration with the largest speedup over the compiler's default.
[[nodiscard]] std::vector<Gain> collectGains(const RunRecord& record);

/// Summarizes the gains: number, largest speedup, confidence intervals.
[[nodiscard]] Answer summarizeGains(std::span<const Gain> gains);
[[nodiscard]] DataTable makeGainsTable(std::span<const Gain> gains);
/// Formats the table for a terminal.
[[nodiscard]] std::string formatGains(std::span<const Gain> gains, std::size_t width);

}  // namespace hone::report
