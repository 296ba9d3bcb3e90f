#pragma once

#include <vector>

#include "report/pages/tune/tune_searches.h"

namespace hone::report {

/// Adds the effect of each knob and a plot of all candidates; one tab per search.
void addKnobs(const std::vector<TuneSearch>& searches, Document& document);

}  // namespace hone::report
