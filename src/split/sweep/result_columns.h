#pragma once

#include <array>
#include <string_view>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// Columns of a results file, named as by IREE's BOO driver.
inline constexpr std::string_view kArgumentsColumn = "arguments";

struct TimeColumn {
  std::string_view name;
  double Timing::* member;
};

inline constexpr std::array<TimeColumn, 5> kTimeColumns = {{
    {"iree_boo_experimental min", &Timing::minUs},
    {"iree_boo_experimental max", &Timing::maxUs},
    {"iree_boo_experimental mean", &Timing::meanUs},
    {"iree_boo_experimental median", &Timing::medianUs},
    {"iree_boo_experimental stddev", &Timing::stddevUs},
}};

inline constexpr std::string_view kNoTime = "N.A.";

}  // namespace hone::split
