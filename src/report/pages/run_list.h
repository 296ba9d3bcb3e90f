#pragma once

#include <cstddef>
#include <span>

#include "report/data/document.h"
#include "report/pages/run_result.h"
#include "store/records.h"

namespace hone::report {

/// Builds the page that lists the runs of a store, newest first, each linked to `/runs/ID`. Shows
/// at most `most` runs.
[[nodiscard]] Document runListDocument(std::span<const store::RunLine> all,
                                       const RunResults& results, std::size_t most);

}  // namespace hone::report
