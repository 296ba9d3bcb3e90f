#include "app/profile/program_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/text.h"
#include "engine/builder.h"
#include "engine/machine_lock.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
#include "engine/rounds/sampler.h"
#include "report/render/table.h"
#include "stats/summary.h"

namespace hone::app {
namespace {

/// Number of profiled calls; the reported times are their mean.
constexpr std::int64_t kCalls = 20;
/// If the table is longer, dispatches with a smaller share are combined in one line.
constexpr std::size_t kShownDispatches = 12;
constexpr double kMinProfiledShare = 0.01;

double sumNs(const ProgramProfile& profile) {
  double sum = 0;
  for (const iree::DispatchTime& dispatch : profile.dispatches) {
    sum += dispatch.totalNs;
  }
  return sum;
}

}  // namespace

Result<ProgramProfile> profileProgram(Toolchain& toolchain, const engine::Program& program,
                                      const CallOptions& options, std::uint64_t seed) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-program"));
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, options.inputs, seed, scratch.path()));
  iree::CompileRequest request{program.source, program.hash, toolchain.target.flags, {}};
  request.from = program.from;
  request.label = program.fileName();
  const iree::Compiled compiled = HONE_TRY(engine::Builder(toolchain.compiler).buildOne(request));
  const iree::Call call{compiled.module, program.function, inputs.arguments, program.parameters};
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const iree::ModuleRunner runner = toolchain.runner();
  const engine::Sampler sampler(runner);
  const engine::Pace pace = HONE_TRY(sampler.paceFor(call));
  const auto timings =
      HONE_TRY(runner.time(call, pace.iterations, std::max<std::int64_t>(pace.repetitions, 5)));
  std::vector<double> walls;
  for (const iree::CallTime& time : timings.times) {
    walls.push_back(time.wallNs);
  }
  ProgramProfile profile{program.label(), runner.device().name, {}, stats::median(walls)};
  profile.dispatches = HONE_TRY(iree::dispatchTimes(toolchain.installation, runner.device(),
                                                    toolchain.runLimits, call, kCalls));
  std::stable_sort(profile.dispatches.begin(), profile.dispatches.end(),
                   [](const auto& a, const auto& b) { return a.totalNs > b.totalNs; });
  return profile;
}

std::string programTable(const ProgramProfile& profile, std::size_t width) {
  using report::Align;
  report::Table table({{"dispatch", Align::left, 24},
                       {"calls", Align::right},
                       {"time", Align::right},
                       {"share", Align::right}});
  const double all = sumNs(profile);
  double smallNs = 0;
  std::size_t small = 0;
  for (const iree::DispatchTime& dispatch : profile.dispatches) {
    if (profile.dispatches.size() > kShownDispatches &&
        dispatch.totalNs < kMinProfiledShare * all) {
      smallNs += dispatch.totalNs;
      ++small;
      continue;
    }
    table.add({dispatch.name, fmt::format("{}", dispatch.calls), humanTime(dispatch.totalNs),
               fmt::format("{:.1f} %", 100 * dispatch.totalNs / all)});
  }
  if (small > 0) {
    table.add({fmt::format("{} below 1 % each", small), "", humanTime(smallNs),
               fmt::format("{:.1f} %", 100 * smallNs / all)});
  }
  return fmt::format("{} on {}, one call\n{}sum of dispatches {}; wall time of the call {}\n",
                     profile.name, profile.device, table.text(width), humanTime(all),
                     humanTime(profile.wallNs));
}

std::vector<model::TimedDispatch> toResult(const std::vector<iree::DispatchTime>& dispatches) {
  std::vector<model::TimedDispatch> timed;
  for (const iree::DispatchTime& dispatch : dispatches) {
    timed.push_back({.name = dispatch.name, .calls = dispatch.calls, .timeNs = dispatch.totalNs});
  }
  return timed;
}

model::ProfiledProgram toResult(const ProgramProfile& profile) {
  return {.name = profile.name,
          .device = profile.device,
          .wallNs = profile.wallNs,
          .dispatches = toResult(profile.dispatches)};
}

}  // namespace hone::app
