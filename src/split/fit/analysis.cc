#include "split/fit/analysis.h"

#include <utility>

namespace hone::split {

Analysis analyze(SweepResult sweep) {
  Analysis analysis;
  analysis.ranking = rankLimits(sweep);
  analysis.comparisons = compareToBaseline(sweep);
  analysis.clusters = clusterByLimit(sweep);
  for (const SourceForm form : {SourceForm::functions, SourceForm::chain}) {
    for (Recommendation& one : recommend(sweep, form)) {
      analysis.recommendations.push_back(std::move(one));
    }
  }
  analysis.sweep = std::move(sweep);
  return analysis;
}

}  // namespace hone::split
