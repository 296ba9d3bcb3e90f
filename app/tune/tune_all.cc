#include "app/tune/tune_all.h"

#include <algorithm>
#include <iterator>

#include "app/tune/tune_explain.h"
#include "app/tune/tune_planned.h"
#include "base/clock.h"
#include "base/file.h"

namespace hone::app {
namespace {

Result<tune::TuneResult> tuneOne(const engine::TrialContext& bench, Toolchain& toolchain,
                                 const TuneAllRequest& request, std::size_t index) {
  const tune::WholeProgram& whole = request.programs[index];
  const auto folder = request.folder / fmt::format("program{}", index);
  HONE_CHECK(makeFolder(folder));
  tune::TuneOptions options = request.options;
  if (!request.starterSpec.empty()) {
    options.planned = HONE_TRY(plannedBy(toolchain, whole, request.starterSpec, bench.progress));
  }
  auto tuner =
      HONE_TRY(tune::Tuner::make(bench, toolchain.target, whole, std::move(options), folder));
  return tuner.run();
}

}  // namespace

Result<TuneAllResult> tuneAll(const engine::TrialContext& bench, Toolchain& toolchain,
                              TuneAllRequest request) {
  std::vector<tune::WholeProgram>& programs = request.programs;
  TuneAllResult all;
  all.total = programs.size();
  for (std::size_t i = 0; i < programs.size(); ++i) {
    tune::WholeProgram& whole = programs[i];
    const std::string label = whole.program.label();
    if (programs.size() > 1) {
      whole.scope = fmt::format("{}: ", label);
      bench.progress.say(fmt::format("{} of {}: {}", i + 1, programs.size(), label));
    }
    const std::int64_t beganNs = nowNs();
    auto result = tuneOne(bench, toolchain, request, i);
    if (result) {
      all.tuned.push_back({std::move(whole), std::move(*result), nowNs() - beganNs});
      // Only for the page of the run: without it, the result is still complete.
      if (auto graph = queryDispatchGraph(toolchain, all.tuned.back().whole)) {
        all.tuned.back().graph = std::move(*graph);
      }
      continue;
    }
    if (result.error().fault == Fault::machine && !all.tuned.empty()) {
      all.ended = result.error();
      return all;
    }
    const bool last = i + 1 == programs.size() && all.tuned.empty();
    if (result.error().fault != Fault::user || last) {
      return std::unexpected(result.error());
    }
    bench.progress.say(fmt::format("skipped: {}", result.error().message));
    all.skipped.push_back({label, result.error().message});
  }
  return all;
}

model::TuneResult toResult(const TuneAllResult& all) {
  model::TuneResult result;
  for (const TunedProgram& one : all.tuned) {
    result.programs.push_back(toResult(one));
    std::ranges::move(collectPrecedents(one), std::back_inserter(result.precedents));
  }
  result.skipped = all.skipped;
  return result;
}

}  // namespace hone::app
