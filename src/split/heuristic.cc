#include "split/heuristic.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "model/json_reader.h"

namespace hone::split {
namespace {

using model::JsonReader;
using model::Reduction;
using model::ReductionKind;

/// As the compiler computes it: in doubles, then cut.
std::int64_t ratioOf(std::int64_t summed, std::int64_t parallel, std::int64_t batch = 1) {
  return static_cast<std::int64_t>(static_cast<double>(summed) /
                                   std::sqrt(static_cast<double>(parallel)) /
                                   static_cast<double>(batch));
}

bool convolutionSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  const auto small = [&](std::int64_t parallel) {
    return ratioOf(summed, parallel) <= returns.ratio && summed < returns.smallReduction;
  };
  if (form == SourceForm::chain) {
    return (reduction.outputChannelSize >= returns.largeParallel &&
            reduction.batchSize >= returns.largeParallel) ||
           small(reduction.outputChannelSize * reduction.batchSize);
  }
  const std::int64_t parallel = reduction.outputChannelSize *
                                (reduction.batchFirst ? reduction.imageSize : reduction.batchSize);
  return parallel >= returns.largeParallel || small(parallel) ||
         (reduction.outputSize() >= 2 * 1024 * 1024 && summed < 50000);
}

bool matmulSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  const std::int64_t ratio =
      ratioOf(summed, reduction.mSize * reduction.nSize, reduction.batchSize);
  if (form == SourceForm::chain) {
    return reduction.mSize > returns.largeParallel || reduction.nSize > returns.largeParallel ||
           (ratio <= returns.ratio && summed < returns.smallReduction);
  }
  const std::int64_t output = reduction.outputSize();
  return output > returns.largeParallel ||
         (summed < returns.smallReduction && ratio < returns.ratio) ||
         (output >= 1024 * 1024 && output < 1500 * 1024 && summed < 200000);
}

constexpr std::string_view nameOf(SourceForm form) {
  return form == SourceForm::chain ? "chain" : "functions";
}

nlohmann::json toJson(const Band& band) {
  nlohmann::json steps = nlohmann::json::array();
  for (const Step& step : band.steps) {
    steps.push_back({{"reduction_below", step.reductionBelow}, {"limit", step.limit}});
  }
  return {{"output_below", band.outputBelow}, {"steps", std::move(steps)}, {"limit", band.limit}};
}

Result<Band> bandFrom(const nlohmann::json& json) {
  Band band;
  std::vector<nlohmann::json> steps;
  JsonReader reader(json, "band");
  reader.required("output_below", band.outputBelow);
  reader.required("steps", steps);
  reader.required("limit", band.limit);
  HONE_CHECK(reader.finish());
  for (const nlohmann::json& one : steps) {
    Step step;
    JsonReader stepReader(one, "step");
    stepReader.required("reduction_below", step.reductionBelow);
    stepReader.required("limit", step.limit);
    HONE_CHECK(stepReader.finish());
    band.steps.push_back(step);
  }
  return band;
}

}  // namespace

bool skips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  return reduction.kind == ReductionKind::convolution ? convolutionSkips(form, returns, reduction)
                                                      : matmulSkips(form, returns, reduction);
}

std::int64_t limitOf(const Ladder& ladder, const Reduction& reduction) {
  for (const Band& band : ladder.bands) {
    if (reduction.outputSize() >= band.outputBelow) {
      continue;
    }
    for (const Step& step : band.steps) {
      if (reduction.reductionSize() < step.reductionBelow) {
        return step.limit;
      }
    }
    return band.limit;
  }
  return std::min(ladder.cap, reduction.startSize());
}

std::optional<std::int64_t> limitOf(const Heuristic& heuristic, const Reduction& reduction) {
  if (skips(heuristic.form, heuristic.returns, reduction)) {
    return std::nullopt;
  }
  return limitOf(heuristic.ladder, reduction);
}

nlohmann::json toJson(const Heuristic& heuristic) {
  nlohmann::json bands = nlohmann::json::array();
  for (const Band& band : heuristic.ladder.bands) {
    bands.push_back(toJson(band));
  }
  return {{"kind", model::nameOf(heuristic.kind)},
          {"form", nameOf(heuristic.form)},
          {"large_parallel", heuristic.returns.largeParallel},
          {"small_reduction", heuristic.returns.smallReduction},
          {"ratio", heuristic.returns.ratio},
          {"bands", std::move(bands)},
          {"cap", heuristic.ladder.cap}};
}

Result<Heuristic> heuristicFrom(const nlohmann::json& json) {
  Heuristic heuristic;
  std::string kind;
  std::string form;
  std::vector<nlohmann::json> bands;
  JsonReader reader(json, "heuristic");
  reader.required("kind", kind);
  reader.required("form", form);
  reader.required("large_parallel", heuristic.returns.largeParallel);
  reader.required("small_reduction", heuristic.returns.smallReduction);
  reader.required("ratio", heuristic.returns.ratio);
  reader.required("bands", bands);
  reader.required("cap", heuristic.ladder.cap);
  HONE_CHECK(reader.finish());
  heuristic.kind = kind == model::nameOf(ReductionKind::convolution) ? ReductionKind::convolution
                                                                     : ReductionKind::matmul;
  heuristic.form = form == nameOf(SourceForm::chain) ? SourceForm::chain : SourceForm::functions;
  if (kind != model::nameOf(heuristic.kind) || form != nameOf(heuristic.form)) {
    return userError("heuristic: there is no kind '{}' of the form '{}'", kind, form);
  }
  for (const nlohmann::json& band : bands) {
    heuristic.ladder.bands.push_back(HONE_TRY(bandFrom(band)));
  }
  return heuristic;
}

}  // namespace hone::split
