#pragma once

#include <cstddef>
#include <span>

#include "report/data/document.h"
#include "store/records.h"

namespace hone::report {

/// The runs of a store as a page, newest first, each leading to `runs/ID` beside it; of more than
/// `most` only the newest.
[[nodiscard]] Document runListDocument(std::span<const store::RunLine> all, std::size_t most);

}  // namespace hone::report
