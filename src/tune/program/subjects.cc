#include "tune/program/subjects.h"

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

/// Returns true if a spec may be unable to distinguish two of the tuned subjects.
bool hasIndistinguishable(const std::vector<Subject>& subjects) {
  std::set<std::pair<std::string, std::vector<std::int64_t>>> seen;
  return std::any_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
    std::vector<std::int64_t> sizes;
    for (const model::Loop& loop : subject.root.loops) {
      sizes.push_back(loop.size);
    }
    return subject.whyNot.empty() && !seen.emplace(subject.root.op, std::move(sizes)).second;
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

Result<engine::Program> programOf(const iree::DispatchProgram& dispatch) {
  engine::Program program;
  program.source = dispatch.source;
  program.hash = HONE_TRY(hashOfFile(dispatch.source));
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

std::string Subject::pattern() const {
  std::string names;
  for (const std::string& name : cutOut ? std::vector{root.dispatch} : dispatches) {
    names += fmt::format("{}{}", names.empty() ? "" : "|", iree::literalPattern(name));
  }
  return fmt::format("({})", names);
}

Result<void> chooseSubjects(std::vector<Subject>& subjects, const SubjectOptions& options,
                            Costs costs) {
  const Regex wanted = HONE_TRY(dispatchRegex(options.dispatches));
  std::stable_sort(subjects.begin(), subjects.end(),
                   [](const Subject& a, const Subject& b) { return a.share > b.share; });
  std::size_t chosen = 0;
  for (Subject& subject : subjects) {
    if (!subject.whyNot.empty()) {
      continue;
    }
    const bool asked =
        wanted.matchesPartOf(subject.name) ||
        std::any_of(subject.dispatches.begin(), subject.dispatches.end(),
                    [&](const std::string& name) { return wanted.matchesPartOf(name); });
    if (!asked) {
      subject.whyNot = "excluded by --dispatches";
    } else if (options.top > 0 && chosen >= options.top) {
      subject.whyNot = fmt::format("not among the {} most expensive{}", options.top,
                                   costs == Costs::measured ? "" : " (estimated)");
    } else if (costs == Costs::measured && subject.share < kMinShare) {
      subject.whyNot = fmt::format("less than {:.0f} % of the time", 100 * kMinShare);
    } else {
      ++chosen;
    }
  }
  std::stable_partition(subjects.begin(), subjects.end(),
                        [](const Subject& subject) { return subject.whyNot.empty(); });
  return {};
}

void dropIndistinguishable(std::vector<Subject>& subjects,
                           std::span<const iree::DispatchMatcher> matchers) {
  std::map<std::string, std::string> tuned;  // dispatch name by matcher
  for (Subject& subject : subjects) {
    const auto matcher = std::find_if(
        matchers.begin(), matchers.end(),
        [&](const iree::DispatchMatcher& one) { return one.dispatch == subject.root.dispatch; });
    if (!subject.whyNot.empty() || matcher == matchers.end() || matcher->matcher.empty()) {
      continue;
    }
    const auto [first, isNew] = tuned.emplace(matcher->matcher, subject.name);
    if (!isNew) {
      subject.whyNot = fmt::format("a spec cannot distinguish it from {}", first->second);
    }
  }
  std::stable_partition(subjects.begin(), subjects.end(),
                        [](const Subject& subject) { return subject.whyNot.empty(); });
}

Result<std::vector<iree::PipelineConstraints>> SubjectFinder::constraintsFor(
    const Subject& subject, const iree::CompileRequest& request) {
  if (!subject.cutOut && constraints_) {
    return *constraints_;
  }
  auto constraints = iree::constraintsOf(compiler_, request);
  if (!constraints) {
    constraints = within("reading the compiler's constraints for it", constraints.error());
  }
  if (!subject.cutOut) {
    constraints_ = constraints;
  }
  return constraints;
}

Result<knobs::KnobModel> SubjectFinder::knobsOf(const Subject& subject,
                                                const std::vector<std::string>& flags,
                                                bool parallel) {
  const model::RootOperation& root = subject.root;
  if (root.op.empty()) {
    return userError("no operation to tile");
  }
  if (!root.attachable) {
    return userError(
        "no configuration reaches it: the compiler creates the {} after it reads configurations",
        root.op);
  }
  if (target_.name == "local") {
    knobs::CpuLimits limits = knobs::limitsOfThisCpu();
    limits.cores = parallel ? limits.cores : 1;
    return knobs::cpuKnobs(root, limits);
  }
  if (target_.name.starts_with("vulkan")) {
    return knobs::vulkanKnobs(root);
  }
  iree::CompileRequest request{subject.program.source, subject.program.hash, flags, {}};
  request.from = subject.program.from;
  const auto constraints = HONE_TRY(constraintsFor(subject, request));
  return knobs::gpuKnobs(compiler_, request, constraints, root, target_.name.starts_with("rocm"));
}

Result<void> SubjectFinder::addKnobs(Subject& subject, const std::vector<std::string>& flags,
                                     bool parallel) {
  if (options_.planned) {
    subject.whyNot = options_.planned->contains(subject.name) ? "" : "no candidates in the folder";
    return {};
  }
  auto knobs = knobsOf(subject, flags, parallel);
  if (knobs) {
    subject.knobs = std::move(*knobs);
  } else if (knobs.error().fault == Fault::user) {
    subject.whyNot = knobs.error().message;
  } else {
    return std::unexpected(knobs.error());
  }
  return {};
}

Result<std::vector<Subject>> SubjectFinder::find(const WholeProgram& whole,
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
  std::vector<Subject> subjects;
  const bool parallel = runner == nullptr || runner->device().rankBy != iree::RankBy::cpu;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const iree::DispatchProgram& dispatch = programs[i];
    Subject subject;
    subject.name = dispatch.name;
    subject.dispatches = dispatch.dispatches;
    subject.root = dispatch.root;
    subject.calls = costs[i].calls;
    subject.share = costs[i].share;
    subject.estimated = times.empty();
    subject.cutOut = programs.size() > 1 && dispatch.whyNot.empty();
    // A single-dispatch program keeps the reference of the whole program.
    subject.program = subject.cutOut ? HONE_TRY(programOf(dispatch)) : whole.program;
    HONE_CHECK(addKnobs(subject, flags, parallel));
    subjects.push_back(std::move(subject));
  }
  HONE_CHECK(
      chooseSubjects(subjects, options_, times.empty() ? Costs::estimated : Costs::measured));
  if (hasIndistinguishable(subjects)) {
    const auto matchers = iree::matchersOf(compiler_, request);
    if (!matchers && matchers.error().fault != Fault::user) {
      return std::unexpected(matchers.error());
    }
    dropIndistinguishable(subjects, matchers.value_or(std::vector<iree::DispatchMatcher>()));
  }
  return subjects;
}

}  // namespace hone::tune
