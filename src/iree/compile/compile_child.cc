#include "iree/compile/compile_child.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/text.h"
#include "iree/module/module_attributes.h"
#include "iree/module/module_benchmark.h"
#include "iree/module/module_constraints.h"
#include "iree/module/module_dispatches.h"
#include "iree/module/module_matchers.h"
#include "iree/module/module_roots.h"
#include "iree/module/module_spec.h"
#include "iree/module/module_spec_marks.h"
#include "iree/module/module_splits.h"
#include "iree/module/module_variants.h"
#include "iree/module/module_walk.h"
#include "iree/module/operation_problem.h"

namespace hone::iree {

namespace {

/// Flags of specs.
constexpr std::array<std::string_view, 3> kSpecFlags = {
    "--iree-codegen-transform-dialect-library", "--iree-codegen-enable-default-tuning-specs",
    "--iree-codegen-dump-tuning-specs-to"};
/// Others that a session does not know.
constexpr std::array<std::string_view, 5> kProcessFlags = {
    "--iree-dispatch-creation-experimental-set-data-tiling-ops", "--iree-llvmcpu-distribution-size",
    "--iree-llvmcpu-matmul-tile-bytes", "--iree-llvmcpu-number-of-threads",
    "--iree-llvmcpu-vector-pproc-strategy"};

bool isOneOf(std::string_view flag, std::span<const std::string_view> names) {
  const auto name = flag.substr(0, flag.find('='));
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isSpecFlag(std::string_view flag) { return isOneOf(flag, kSpecFlags); }

}  // namespace

bool isProcessFlag(std::string_view flag) {
  return isSpecFlag(flag) || isOneOf(flag, kProcessFlags);
}

namespace {

/// Says the compiler's error, if there is one, on stderr, as one line.
bool failedWith(const CompilerApi& api, CompilerError* error) {
  if (error == nullptr) {
    return false;
  }
  std::string message(trim(api.errorMessage(error)));
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "error: {}\n", message);
  api.errorDestroy(error);
  return true;
}

std::vector<const char*> pointersTo(const std::vector<std::string>& flags) {
  std::vector<const char*> pointers;
  pointers.reserve(flags.size());
  for (const std::string& flag : flags) {
    pointers.push_back(flag.c_str());
  }
  return pointers;
}

/// The job's flags and those that its kind needs; nothing when they cannot be had.
std::optional<std::vector<std::string>> flagsOf(const CompileJob& job) {
  using Kind = CompileJob::Kind;
  std::vector<std::string> flags = job.flags;
  if (job.kind == Kind::roots || job.kind == Kind::specMarks || job.kind == Kind::matchers) {
    flags.emplace_back("--iree-codegen-add-tuner-attributes");
  }
  if (job.kind == Kind::constraints) {
    flags.emplace_back("--iree-codegen-emit-pipeline-constraints");
  }
  if (job.kind == Kind::matchers) {
    std::erase_if(flags, isSpecFlag);  // another spec would be run in the probe's place, or with it
    auto probe = setUpProbe();
    if (!probe) {
      return std::nullopt;
    }
    flags.push_back(std::move(*probe));
  }
  return flags;
}

/// Sets the flags that only the process can have; must be done before there is a session. A bad one
/// ends the process.
void setGlobalFlags(const CompilerApi& api, std::vector<std::string>& flags) {
  std::vector<std::string> global = {"iree-compile"};
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(global), isProcessFlag);
  std::erase_if(flags, isProcessFlag);
  if (global.size() > 1) {
    const auto pointers = pointersTo(global);
    api.setGlobalFlags(static_cast<int>(pointers.size()), pointers.data(), "", false);
  }
}

bool setFlags(const CompilerApi& api, Session* session, const std::vector<std::string>& flags) {
  const auto pointers = pointersTo(flags);
  return !failedWith(
      api, api.sessionSetFlags(session, static_cast<int>(pointers.size()), pointers.data()));
}

bool writeOutput(const CompilerApi& api, Invocation* invocation, const CompileJob& job) {
  Output* output = nullptr;
  if (failedWith(api, api.outputOpenFile(job.output.c_str(), &output))) {
    return false;
  }
  CompilerError* error = job.kind == CompileJob::Kind::annotate
                             ? api.outputIrText(invocation, output)
                         : job.to == kPhaseEnd ? api.outputVmBytecode(invocation, output)
                                               : api.outputIrBytecode(invocation, output, -1);
  if (failedWith(api, error)) {
    return false;
  }
  api.outputKeep(output);
  api.outputDestroy(output);
  return true;
}

/// Lets `edit` work on the module, which the invocation has back afterwards.
template <typename Edit>
bool withModule(const CompilerApi& api, Invocation* invocation, const Edit& edit) {
  const MlirOperation module = api.invocationTakeModule(invocation);
  const bool done = edit(module);
  return api.invocationGiveModule(invocation, module) && done;
}

bool writeJson(const CompileJob& job, const nlohmann::json& json) {
  const auto wrote = writeFile(job.output, json.dump());
  if (!wrote) {
    fmt::print(stderr, "error: {}\n", wrote.error().message);
  }
  return wrote.has_value();
}

/// What a job that only reads the program has to say of it.
nlohmann::json readingOf(const CompilerApi& api, MlirOperation module, CompileJob::Kind kind) {
  if (kind == CompileJob::Kind::describe) {
    return describeModule(api, module);
  }
  nlohmann::json problems = nlohmann::json::array();
  for (const model::Problem& problem : problemsIn(api, module)) {
    problems.push_back(model::toJson(problem));
  }
  return problems;
}

/// What a spec says, and beside it the spec that leaves marks.
bool writeSpec(const CompilerApi& api, MlirOperation module, const CompileJob& job) {
  const std::string marked = markedSpec(api, module);
  const auto wrote = writeFile(job.output.string() + std::string(kMarkedSpec), marked);
  if (!wrote) {
    fmt::print(stderr, "error: {}\n", wrote.error().message);
  }
  return wrote.has_value() && !marked.empty() && writeJson(job, specEntries(api, module));
}

/// What a job that ran up to the configurations has to say of them.
std::optional<nlohmann::json> findingsOf(const CompilerApi& api, MlirOperation module,
                                         const CompileJob& job) {
  switch (job.kind) {
    case CompileJob::Kind::constraints:
      return constraintsIn(api, module, job.assignments);
    case CompileJob::Kind::specMarks:
      return specMarks(api, module);
    case CompileJob::Kind::matchers:
      return matchersIn(api, module);
    default:
      return std::nullopt;
  }
}

/// Runs the passes between two phases.
bool runPhases(const CompilerApi& api, Invocation* invocation, const std::string& from,
               const std::string& to) {
  api.invocationFrom(invocation, from.c_str());
  api.invocationTo(invocation, to.c_str());
  return api.invocationPipeline(invocation, Pipeline::standard);
}

/// Lets the compiler choose configurations from IR before that; says of each variant which of its
/// own it ignored. Nothing when the passes fail.
std::optional<std::vector<std::string>> configure(
    const CompilerApi& api, Invocation* invocation,
    const std::vector<std::vector<AttachedConfig>>& attached) {
  std::vector<std::string> ignored;
  if (!runPhases(api, invocation, kPhaseExecutableSources, kPhaseExecutableConfigurations) ||
      !withModule(api, invocation, [&](MlirOperation module) {
        for (const auto& configs : attached) {
          ignored.push_back(ignoredConfigs(api, module, configs));
        }
        return true;
      })) {
    return std::nullopt;
  }
  return ignored;
}

bool writeContents(CompileJob job, const std::vector<std::string>& contents,
                   const std::vector<std::string>& ignored) {
  job.output += kContents;
  return writeJson(job, {{"contents", contents}, {"ignored", ignored}});
}

/// The program's copies, translated; what tells them apart is written before the machine code is
/// made, where it is still one executable a copy. The exit code, 0 to go on.
int translateVariants(const CompilerApi& api, MlirContext context, Invocation* invocation,
                      const CompileJob& job) {
  Expansion expansion = Expansion::done;
  std::vector<std::vector<AttachedConfig>> attached;
  const bool given = withModule(api, invocation, [&](MlirOperation module) {
    expansion = expandVariants(api, context, module, job.variants, attached);
    return true;
  });
  if (expansion != Expansion::done) {
    return expansion == Expansion::noMatch ? kExitNoMatch : kExitNoVariants;
  }
  const auto ignored = given ? configure(api, invocation, attached) : std::nullopt;
  if (!ignored || !writeContents(job, {}, *ignored) ||
      !runPhases(api, invocation, kPhaseExecutableConfigurations, kPhaseExecutableTargets)) {
    return kExitFailed;
  }
  const bool written = withModule(api, invocation, [&](MlirOperation module) {
    return writeContents(job, variantContents(api, module, job.variants.size()), *ignored);
  });
  return written ? 0 : kExitFailed;
}

/// The program with the job's attributes, up to where it can be seen whether they were taken. The
/// exit code, 0 to go on from the configurations.
int configureAttributes(const CompilerApi& api, MlirContext context, Invocation* invocation,
                        const CompileJob& job) {
  std::optional<std::vector<AttachedConfig>> attached;
  if (!withModule(api, invocation, [&](MlirOperation module) {
        attached = attachAttributes(api, context, module, job.attributes);
        return attached.has_value();
      })) {
    return kExitNoMatch;
  }
  const auto ignored = configure(api, invocation, {*attached});
  return ignored && writeContents(job, {}, *ignored) ? 0 : kExitFailed;
}

/// The roots of the program's dispatches.
bool writeRoots(const CompilerApi& api, MlirContext context, Invocation* invocation,
                const CompileJob& job) {
  const auto number = [&](MlirOperation module) {
    numberOperations(api, context, module);
    return true;
  };
  const auto write = [&](MlirOperation module) { return writeJson(job, rootsIn(api, module)); };
  return (job.from == kPhaseExecutableSources ||
          runPhases(api, invocation, job.from, kPhaseExecutableSources)) &&
         withModule(api, invocation, number) &&
         runPhases(api, invocation, kPhaseExecutableSources, kPhaseExecutableConfigurations) &&
         withModule(api, invocation, write);
}

bool writeDispatches(const CompilerApi& api, Invocation* invocation, const CompileJob& job) {
  if (job.from == kPhaseExecutableSources) {
    return withModule(api, invocation, [&](MlirOperation module) {
      return writeJson(job, benchmarkDispatchesIn(api, module));
    });
  }
  return (job.from == kPhaseFlow || runPhases(api, invocation, job.from, kPhaseFlow)) &&
         withModule(api, invocation, [&](MlirOperation module) {
           return writeJson(job, dispatchesIn(api, module));
         });
}

/// The program's copies, split as asked; how they really are is written beside the output. The
/// exit code, 0 to go on from `flow`.
int splitCopies(const CompilerApi& api, MlirContext context, Invocation* invocation,
                const CompileJob& job) {
  const bool expanded = withModule(api, invocation, [&](MlirOperation module) {
    return expandSplits(api, context, module, job.splits);
  });
  if (!expanded) {
    return kExitNoMatch;
  }
  if (!runPhases(api, invocation, job.from, kPhaseFlow)) {
    return kExitFailed;
  }
  CompileJob splits = job;
  splits.output += kSplits;
  const bool written = withModule(api, invocation, [&](MlirOperation module) {
    return writeJson(splits, splitsIn(api, module));
  });
  return written ? 0 : kExitFailed;
}

/// What can be split in the program, and, where the job goes on to `flow`, how the compiler does.
bool writeReductions(const CompilerApi& api, Invocation* invocation, const CompileJob& job) {
  nlohmann::json found;
  const auto read = [&](const char* member, const auto& from) {
    return withModule(api, invocation, [&](MlirOperation module) {
      found[member] = from(api, module);
      return true;
    });
  };
  if (!read("operations", reductionsIn)) {
    return false;
  }
  if (job.to == kPhaseFlow &&
      (!runPhases(api, invocation, job.from, job.to) || !read("splits", splitsIn))) {
    return false;
  }
  return writeJson(job, found);
}

}  // namespace

int performJob(const CompilerApi& api, const CompileJob& job) {
  auto flags = flagsOf(job);
  if (!flags) {
    return kExitFailed;
  }
  setGlobalFlags(api, *flags);
  Session* session = api.sessionCreate();
  if (!setFlags(api, session, *flags)) {
    return kExitBadFlag;
  }
  const MlirContext context = api.sessionContext(session);
  // What a probe prints must not be mixed with what another thread prints.
  api.contextThreads(context, job.threads && job.kind != CompileJob::Kind::matchers);
  Invocation* invocation = api.invocationCreate(session);
  api.invocationConsole(invocation);
  api.invocationVerifyIr(invocation, job.verifyIr);
  Source* source = nullptr;
  if (failedWith(api, api.sourceOpenFile(session, job.source.c_str(), &source)) ||
      !api.invocationParse(invocation, source)) {
    return kExitBadSource;
  }
  if (job.kind == CompileJob::Kind::describe || job.kind == CompileJob::Kind::problems) {
    const bool done = withModule(api, invocation, [&](MlirOperation module) {
      return writeJson(job, readingOf(api, module, job.kind));
    });
    return done ? 0 : kExitFailed;
  }
  if (job.kind == CompileJob::Kind::roots) {
    return writeRoots(api, context, invocation, job) ? 0 : kExitFailed;
  }
  if (job.kind == CompileJob::Kind::dispatches) {
    return writeDispatches(api, invocation, job) ? 0 : kExitFailed;
  }
  if (job.kind == CompileJob::Kind::specEntries) {
    const bool done = withModule(api, invocation,
                                 [&](MlirOperation module) { return writeSpec(api, module, job); });
    return done ? 0 : kExitFailed;
  }
  if (job.kind == CompileJob::Kind::reductions) {
    return writeReductions(api, invocation, job) ? 0 : kExitFailed;
  }
  if (job.kind == CompileJob::Kind::annotate) {
    const bool done = withModule(api, invocation, [&](MlirOperation module) {
      return attachSplits(api, context, module, job.splits.front());
    });
    return !done ? kExitNoMatch : writeOutput(api, invocation, job) ? 0 : kExitFailed;
  }
  std::string from = job.from;
  if (!job.attributes.empty()) {
    if (const int code = configureAttributes(api, context, invocation, job); code != 0) {
      return code;
    }
    from = kPhaseExecutableConfigurations;
  }
  if (!job.splits.empty()) {
    if (const int code = splitCopies(api, context, invocation, job); code != 0) {
      return code;
    }
    from = kPhaseFlow;
  }
  if (!job.variants.empty()) {
    if (const int code = translateVariants(api, context, invocation, job); code != 0) {
      return code;
    }
    from = kPhaseExecutableTargets;
  }
  if (!runPhases(api, invocation, from, job.to)) {
    return kExitFailed;
  }
  if (job.kind != CompileJob::Kind::compile) {
    const bool done = withModule(api, invocation, [&](MlirOperation module) {
      const auto found = findingsOf(api, module, job);
      return found && writeJson(job, *found);
    });
    return done ? 0 : kExitFailed;
  }
  return writeOutput(api, invocation, job) ? 0 : kExitFailed;
}

}  // namespace hone::iree
