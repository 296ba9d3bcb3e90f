#include "tune/program/tunable_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "iree/compile/constraints.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/compile/resolve_roots.h"
#include "knobs/cpu/cpu_knobs.h"
#include "knobs/gpu/gpu_knobs.h"
#include "knobs/gpu/gpu_limits.h"
#include "knobs/gpu/matrix/matrix_knobs.h"
#include "knobs/gpu/simt/simt_knobs.h"
#include "knobs/pipeline_text.h"
#include "knobs/vulkan/vulkan_knobs.h"
#include "tune/program/program_times.h"

namespace hone::tune {
namespace {

/// Minimum share of the program's time: dispatches below it cannot make a visible difference.
constexpr double kMinShare = 0.01;

/// Returns the iterations of the root's innermost loop per call; unknown sizes count as one.
double countIterations(const model::RootOperation& root) {
  double work = 1;
  for (const model::Loop& loop : root.loops) {
    work *= static_cast<double>(std::max<std::int64_t>(loop.size, 1));
  }
  return work;
}

/// Returns true if a spec may be unable to distinguish two of the tuned tunables.
bool hasIndistinguishable(const std::vector<TunableDispatch>& tunables) {
  std::set<std::pair<std::string, std::vector<std::int64_t>>> seen;
  return std::any_of(tunables.begin(), tunables.end(), [&](const TunableDispatch& tunable) {
    std::vector<std::int64_t> sizes;
    for (const model::Loop& loop : tunable.root.loops) {
      sizes.push_back(loop.size);
    }
    return tunable.skipReason.empty() && !seen.emplace(tunable.root.op, std::move(sizes)).second;
  });
}

}  // namespace

std::vector<iree::DispatchCost> estimatedCosts(std::span<const iree::DispatchProgram> programs) {
  double all = 0;
  std::vector<iree::DispatchCost> costs;
  for (const iree::DispatchProgram& program : programs) {
    const auto calls = static_cast<double>(std::max<std::int64_t>(program.calls, 1));
    costs.push_back({program.calls, 0, calls * countIterations(program.root)});
    all += costs.back().share;
  }
  for (iree::DispatchCost& cost : costs) {
    cost.share /= all;
  }
  return costs;
}

Result<engine::Program> loadDispatch(const iree::DispatchProgram& dispatch) {
  engine::Program program;
  program.source = dispatch.source;
  program.hash = HONE_TRY(hashFile(dispatch.source));
  program.function = dispatch.function;
  program.inputTypes = dispatch.inputTypes;
  program.resultTypes = dispatch.resultTypes;
  program.from = dispatch.from;
  return program;
}

Result<Regex> dispatchRegex(const std::string& pattern) {
  auto compiled = Regex::compile(pattern);
  return compiled ? std::move(compiled) : within("--dispatches", std::move(compiled).error());
}

std::string TunableDispatch::pattern() const {
  std::string names;
  for (const std::string& name : standalone ? std::vector{root.dispatch} : dispatches) {
    names += fmt::format("{}{}", names.empty() ? "" : "|", iree::literalPattern(name));
  }
  return fmt::format("({})", names);
}

Result<void> chooseTunables(std::vector<TunableDispatch>& tunables,
                            const DispatchSelection& options, Costs costs) {
  const Regex wanted = HONE_TRY(dispatchRegex(options.dispatches));
  std::stable_sort(
      tunables.begin(), tunables.end(),
      [](const TunableDispatch& a, const TunableDispatch& b) { return a.share > b.share; });
  std::size_t chosen = 0;
  for (TunableDispatch& tunable : tunables) {
    if (!tunable.skipReason.empty()) {
      continue;
    }
    const bool asked =
        wanted.matchesAnywhere(tunable.name) ||
        std::any_of(tunable.dispatches.begin(), tunable.dispatches.end(),
                    [&](const std::string& name) { return wanted.matchesAnywhere(name); });
    if (!asked) {
      tunable.skipReason = "excluded by --dispatches";
    } else if (options.top > 0 && chosen >= options.top) {
      tunable.skipReason = fmt::format("not among the {} most expensive{}", options.top,
                                       costs == Costs::measured ? "" : " (estimated)");
    } else if (costs == Costs::measured && tunable.share < kMinShare) {
      tunable.skipReason = fmt::format("less than {:.0f} % of the time", 100 * kMinShare);
    } else {
      ++chosen;
    }
  }
  std::stable_partition(tunables.begin(), tunables.end(),
                        [](const TunableDispatch& tunable) { return tunable.skipReason.empty(); });
  return {};
}

void dropIndistinguishable(std::vector<TunableDispatch>& tunables,
                           std::span<const iree::DispatchMatcher> matchers) {
  std::map<std::string, std::string> tuned;  // dispatch name by matcher
  for (TunableDispatch& tunable : tunables) {
    const auto matcher = std::find_if(
        matchers.begin(), matchers.end(),
        [&](const iree::DispatchMatcher& one) { return one.dispatch == tunable.root.dispatch; });
    if (!tunable.skipReason.empty() || matcher == matchers.end() || matcher->matcher.empty()) {
      continue;
    }
    const auto [first, isNew] = tuned.emplace(matcher->matcher, tunable.name);
    if (!isNew) {
      tunable.skipReason = fmt::format("a spec cannot distinguish it from {}", first->second);
    }
  }
  std::stable_partition(tunables.begin(), tunables.end(),
                        [](const TunableDispatch& tunable) { return tunable.skipReason.empty(); });
}

Result<std::vector<iree::PipelineConstraints>> TunableFinder::constraintsFor(
    const TunableDispatch& tunable, const iree::CompileRequest& request) {
  if (!tunable.standalone && constraints_) {
    return *constraints_;
  }
  auto constraints = iree::queryConstraints(compiler_, request);
  if (!constraints) {
    constraints = within("reading the compiler's constraints for it", constraints.error());
  }
  if (!tunable.standalone) {
    constraints_ = constraints;
  }
  return constraints;
}

Result<knobs::KnobModel> TunableFinder::makeKnobModel(const TunableDispatch& tunable,
                                                      const std::vector<std::string>& flags,
                                                      bool parallel) {
  const model::RootOperation& root = tunable.root;
  if (root.op.empty()) {
    return userError("no operation to tile, or its layer's way sets the tiles");
  }
  if (!root.attachable) {
    return userError(
        "no configuration reaches it: the compiler creates the {} after it reads configurations",
        root.op);
  }
  if (target_.name == "local") {
    knobs::CpuLimits limits = knobs::detectCpuLimits();
    limits.cores = parallel ? limits.cores : 1;
    return knobs::cpuKnobs(root, limits);
  }
  if (target_.name.starts_with("vulkan")) {
    return knobs::vulkanKnobs(root);
  }
  iree::CompileRequest request{tunable.program.source, tunable.program.hash, flags, {}};
  request.from = tunable.program.from;
  const auto constraints = constraintsFor(tunable, request);
  if (!constraints && constraints.error().fault != Fault::user) {
    return std::unexpected(constraints.error());
  }
  // Constraints describe matrix instructions; the query also fails on some dispatches.
  const bool constrained = constraints && std::ranges::any_of(*constraints, [&](const auto& one) {
                             return one.dispatch == root.dispatch;
                           });
  if (constrained) {
    return knobs::gpuKnobs(compiler_, request, *constraints, root,
                           target_.name.starts_with("rocm"));
  }
  const knobs::GpuLimits limits = knobs::gpuLimits(target_.name);
  if (auto matrix = knobs::matrixKnobs(root, limits)) {
    return std::move(*matrix);
  }
  return knobs::simtKnobs(root, limits);
}

Result<void> TunableFinder::addKnobs(TunableDispatch& tunable,
                                     const std::vector<std::string>& flags, bool parallel) {
  if (options_.planned) {
    tunable.skipReason =
        options_.planned->contains(tunable.name) ? "" : "no candidates in the folder";
    return {};
  }
  auto knobs = makeKnobModel(tunable, flags, parallel);
  if (knobs) {
    tunable.knobs = knobs::fitPipelines(std::move(*knobs), compiler_.revision());
  } else if (knobs.error().fault == Fault::user) {
    tunable.skipReason = knobs.error().message;
  } else {
    return std::unexpected(knobs.error());
  }
  return {};
}

Result<std::vector<TunableDispatch>> TunableFinder::find(const WholeProgram& whole,
                                                         const std::vector<std::string>& flags,
                                                         const iree::ModuleRunner* runner,
                                                         const std::filesystem::path& folder,
                                                         engine::Executor* executor) {
  const iree::CompileRequest request = requestFor(whole, flags);
  constraints_.reset();
  const auto programs = HONE_TRY(iree::dispatchPrograms(compiler_, request, folder));
  std::vector<iree::DispatchTime> times;
  if (runner != nullptr) {
    const std::vector<model::Config> asItIs(1);
    auto all = HONE_TRY(programTimes({compiler_, *runner, executor}, whole, flags, asItIs));
    times = all.empty() ? engine::DispatchTimes() : std::move(all.front());
  }
  const auto costs =
      times.empty() ? estimatedCosts(programs) : iree::dispatchCosts(programs, times);
  std::vector<TunableDispatch> tunables;
  const bool parallel = runner == nullptr || runner->device().rankBy != iree::RankBy::cpu;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const iree::DispatchProgram& dispatch = programs[i];
    TunableDispatch tunable;
    tunable.name = dispatch.name;
    tunable.dispatches = dispatch.dispatches;
    tunable.root = dispatch.root;
    tunable.calls = costs[i].calls;
    tunable.share = costs[i].share;
    tunable.estimated = times.empty();
    tunable.standalone = programs.size() > 1 && dispatch.skipReason.empty();
    // A single-dispatch program keeps the reference of the whole program.
    tunable.program = tunable.standalone ? HONE_TRY(loadDispatch(dispatch)) : whole.program;
    HONE_CHECK(addKnobs(tunable, flags, parallel));
    tunables.push_back(std::move(tunable));
  }
  HONE_CHECK(
      chooseTunables(tunables, options_, times.empty() ? Costs::estimated : Costs::measured));
  if (hasIndistinguishable(tunables)) {
    const auto matchers = iree::queryMatchers(compiler_, request);
    if (!matchers && matchers.error().fault != Fault::user) {
      return std::unexpected(matchers.error());
    }
    dropIndistinguishable(tunables, matchers.value_or(std::vector<iree::DispatchMatcher>()));
  }
  return tunables;
}

}  // namespace hone::tune
