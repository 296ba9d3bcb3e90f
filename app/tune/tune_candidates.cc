#include "app/tune/tune_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "tune/candidates/compile_candidates.h"
#include "tune/candidates/draw.h"

namespace hone::app {
namespace {

/// Returns the reasons why candidates did not compile, the most frequent first.
std::vector<std::string> countReasons(const tune::DispatchCandidates& dispatch) {
  std::map<std::string, std::size_t> counts;
  for (const tune::CompiledCandidate& candidate : dispatch.candidates) {
    if (candidate.outcome != model::Outcome::ok) {
      ++counts[fmt::format("{}: {}", nameOf(candidate.outcome), candidate.message)];
    }
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [reason, count] : counts) {
    order.emplace_back(count, reason);
  }
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> reasons;
  for (const auto& [count, reason] : order) {
    reasons.push_back(fmt::format("{} x {}", count, reason));
  }
  return reasons;
}

void print(const tune::CandidateFolder& made, const std::string& label) {
  using report::Align;
  report::Table table({{"dispatch", Align::left, 20},
                       {"space", Align::right},
                       {"sampled", Align::right},
                       {"compiled", Align::right},
                       {"distinct", Align::right},
                       {"median compile", Align::right}});
  for (const tune::DispatchCandidates& dispatch : made.dispatches) {
    std::vector<double> times;
    for (const tune::CompiledCandidate& candidate : dispatch.candidates) {
      // Candidates compiled by an earlier run have no time.
      if (candidate.outcome == model::Outcome::ok && candidate.compileWallNs > 0) {
        times.push_back(static_cast<double>(candidate.compileWallNs));
      }
    }
    table.add({dispatch.dispatch, std::to_string(dispatch.space),
               std::to_string(dispatch.candidates.size()), std::to_string(dispatch.compiled()),
               std::to_string(dispatch.different()),
               times.empty() ? "" : humanTime(stats::median(times))});
  }
  fmt::print("{} for {}\n{}", label, made.target, table.text(report::outputWidth()));
  for (const tune::DispatchCandidates& dispatch : made.dispatches) {
    for (const std::string& reason : countReasons(dispatch)) {
      fmt::print("{}: {}\n", dispatch.dispatch, reason);
    }
    if (!dispatch.note.empty()) {
      fmt::print("{}: {}\n", dispatch.dispatch, dispatch.note);
    }
    if (!dispatch.order.empty()) {
      fmt::print("{}: ordered by {}; nothing was measured\n", dispatch.dispatch, dispatch.order);
    }
  }
}

nlohmann::json toJson(const tune::CandidateFolder& made, const std::string& folder) {
  nlohmann::json dispatches = nlohmann::json::array();
  for (const tune::DispatchCandidates& dispatch : made.dispatches) {
    dispatches.push_back({{"dispatch", dispatch.dispatch},
                          {"space", dispatch.space},
                          {"drawn", dispatch.candidates.size()},
                          {"compiled", dispatch.compiled()},
                          {"different", dispatch.different()},
                          {"failures", countReasons(dispatch)},
                          {"note", dispatch.note},
                          {"order", dispatch.order}});
  }
  return {{"target", made.target}, {"folder", folder}, {"dispatches", std::move(dispatches)}};
}

const tune::DispatchCandidates* named(const std::vector<tune::DispatchCandidates>& all,
                                      const std::string& dispatch) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const tune::DispatchCandidates& one) {
    return one.dispatch == dispatch;
  });
  return at == all.end() ? nullptr : &*at;
}

/// Compiles candidates, resuming from those in the folder. Saves them every few candidates.
Result<tune::CandidateFolder> candidatesFor(Progress& progress, Toolchain& toolchain,
                                            const tune::WholeProgram& whole,
                                            const CompileOnlyOptions& options,
                                            const engine::Budget& time,
                                            const std::filesystem::path& folder) {
  tune::CandidateFolder made;
  made.target = toolchain.target.name;
  made.function = whole.program.function;
  made.flags = options.flags;
  made.inputs = options.inputs;
  made.seed = whole.seed;
  made.compiler = toolchain.compiler.revision();
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-candidates"));
  tune::TunableFinder finder(toolchain.compiler, toolchain.target, options.tunables);
  const auto tunables = HONE_TRY(finder.find(whole, whole.flags, nullptr, scratch.path()));
  const auto known = tune::knownCandidates(whole, made, folder);
  auto left = static_cast<std::size_t>(std::count_if(
      tunables.begin(), tunables.end(),
      [](const tune::TunableDispatch& tunable) { return tunable.skipReason.empty(); }));
  const engine::BudgetClock clock(time);
  for (const tune::TunableDispatch& tunable : tunables) {
    if (!tunable.skipReason.empty()) {
      progress.say(fmt::format("{}: not tuned: {}", tunable.name, tunable.skipReason));
      continue;
    }
    const engine::BudgetClock ofDispatch(engine::divideBudget(clock.left(), left));
    --left;
    progress.stage(tunable.name, {.total = static_cast<std::int64_t>(options.candidates),
                                  .atMost = ofDispatch.leftUntil(1)});
    tune::DrawOptions draw{options.candidates,
                           whole.seed,
                           toolchain.target.name,
                           {},
                           [&] { return ofDispatch.spent(1); },
                           [&] { progress.step(); },
                           [&](const tune::DispatchCandidates& some) {
                             tune::CandidateFolder now = made;
                             now.dispatches.push_back(some);
                             // Keep the dispatches of an earlier run if this one is interrupted.
                             for (const tune::DispatchCandidates& other : known) {
                               if (!named(now.dispatches, other.dispatch)) {
                                 now.dispatches.push_back(other);
                               }
                             }
                             return tune::writeCandidates(toolchain.compiler, whole, now, folder);
                           }};
    if (const tune::DispatchCandidates* before = named(known, tunable.name)) {
      progress.say(fmt::format("{}: resuming after {} candidates in {}", tunable.name,
                               before->candidates.size(), folder.string()));
      draw.known = *before;
    }
    made.dispatches.push_back(
        HONE_TRY(tune::compileCandidates(toolchain.compiler, tunable, whole.flags, draw)));
  }
  HONE_CHECK(tune::writeCandidates(toolchain.compiler, whole, made, folder));
  return made;
}

}  // namespace

Result<int> compileOnly(const Context& context, Toolchain& toolchain,
                        const std::vector<tune::WholeProgram>& programs,
                        const CompileOnlyOptions& options) {
  nlohmann::json json = nlohmann::json::array();
  Progress progress(context.quiet || context.json);
  const engine::BudgetClock clock(options.time);
  std::optional<Error> failed;
  std::size_t done = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const tune::WholeProgram& whole = programs[i];
    const std::string label = whole.program.label();
    std::filesystem::path folder =
        options.folder.empty() ? fmt::format("{}_candidates", label) : options.folder;
    if (!options.folder.empty() && programs.size() > 1) {
      folder /= label;
    }
    const auto made = candidatesFor(progress, toolchain, whole, options,
                                    divideBudget(clock.left(), programs.size() - i), folder);
    progress.finish();
    if (!made) {
      if (made.error().isFatal()) {
        return std::unexpected(made.error());
      }
      failed = failed.value_or(made.error());
      progress.say(fmt::format("skipped: {}: {}", label, made.error().message));
      json.push_back({{"program", label}, {"error", made.error().message}});
      continue;
    }
    ++done;
    json.push_back(toJson(*made, folder.string()));
    if (!context.json) {
      print(*made, label);
      fmt::print("next, on a machine with the device: hone tune --continue {}\n", folder.string());
    }
  }
  if (failed && done == 0) {
    return std::unexpected(*failed);
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(json, 2));
  }
  return 0;
}

}  // namespace hone::app
