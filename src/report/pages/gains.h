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

/// Something that a run set out to make faster, and what became of it.
struct Gain {
  std::int64_t run = 0;
  std::string what;     ///< "tune: matmul"
  double beforeNs = 0;  ///< NaN where nobody knows, as in all below
  double afterNs = 0;   ///< NaN also where it stays as it was
  stats::Interval speedup;
  std::string verdict;  ///< "faster", "same", "slower", "unsure"
};

/// What a finished run compared with what there was before; nothing of one that only measured. A
/// profile names the operation of which a configuration beats the compiler's own the most.
[[nodiscard]] std::vector<Gain> gainsOf(const RunRecord& record);

/// What of them got faster, by how much, how sure.
[[nodiscard]] Answer answerOf(std::span<const Gain> gains);
[[nodiscard]] DataTable tableOf(std::span<const Gain> gains);
/// The same table for a terminal.
[[nodiscard]] std::string textOf(std::span<const Gain> gains, std::size_t width);

}  // namespace hone::report
