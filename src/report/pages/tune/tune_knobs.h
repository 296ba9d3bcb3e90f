#pragma once

#include <vector>

#include "report/pages/tune/tune_searches.h"

namespace hone::report {

/// Adds what each knob does, and all candidates over all knobs; a tab for every search.
void addKnobs(const std::vector<TuneSearch>& searches, Document& document);

}  // namespace hone::report
