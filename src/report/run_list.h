#pragma once

#include <span>

#include "report/document.h"
#include "store/records.h"

namespace hone::report {

/// The runs of a store as a page, newest first, each leading to `runs/ID` beside it.
[[nodiscard]] Document runListDocument(std::span<const store::RunLine> runs);

}  // namespace hone::report
