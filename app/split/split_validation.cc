#include "app/split/split_validation.h"

#include <map>
#include <optional>
#include <utility>

#include "app/split/split_report.h"
#include "split/fit/rule.h"
#include "split/sweep/choices.h"

namespace hone::app {
namespace {

using split::Recommendation;

/// Returns the limits of the recommended code; for kinds without a recommendation, those of the
/// compiler.
split::LimitChooser makeChooser(const std::vector<Recommendation>& recommendations, bool twoD) {
  std::map<model::ReductionKind, split::Heuristic> heuristics;
  for (const Recommendation& one : recommendations) {
    const auto& heuristic = twoD ? one.twoD.heuristic : one.oneD.heuristic;
    if (heuristic.form == split::SourceForm::functions) {
      heuristics[heuristic.kind] = heuristic;
    }
  }
  return [heuristics = std::move(heuristics)](const model::Reduction& reduction) {
    const auto at = heuristics.find(reduction.kind);
    return at == heuristics.end() ? split::compilersLimit(reduction)
                                  : split::chooseLimit(at->second, reduction);
  };
}

}  // namespace

std::vector<split::ValidationOrder> makeValidationOrders(
    const std::vector<split::SweepProblem>& problems,
    const std::vector<split::ShapeRecord>& records,
    const std::vector<split::Recommendation>& recommendations) {
  const auto oneD = makeChooser(recommendations, false);
  const auto twoD = makeChooser(recommendations, true);
  std::vector<split::ValidationOrder> orders;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const split::ShapeResult& shape = records[i].shape;
    if (!shape.baseline) {
      continue;
    }
    split::ValidationOrder order;
    order.problem = problems[i];
    order.sweptBaselineUs = shape.baseline->timeUs();
    order.sizes[kOneD] = split::sizesUnder(shape.reduction, oneD);
    order.sizes[kTwoD] = split::sizesUnder(shape.reduction, twoD);
    if (auto sizes = split::oracleSizes(shape)) {
      order.sizes[kOracle] = std::move(*sizes);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

void addDefaultOracles(const std::vector<split::ValidationOrder>& orders,
                       std::vector<split::ValidationRecord>& records) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!orders[i].sizes.contains(kOracle) && records[i].baselineUs > 0) {
      records[i].choices[kOracle] = {records[i].baselineUs, std::nullopt};
    }
  }
}

}  // namespace hone::app
