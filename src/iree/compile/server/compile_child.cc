#include "iree/compile/server/compile_child.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "base/file.h"
#include "base/text/text.h"
#include "iree/compile/job/job_wire.h"
#include "iree/module/dispatches/module_benchmark.h"
#include "iree/module/dispatches/module_graph.h"
#include "iree/module/dispatches/module_roots.h"
#include "iree/module/module_attributes.h"
#include "iree/module/module_layers.h"
#include "iree/module/module_names.h"
#include "iree/module/module_variants.h"
#include "iree/module/problem/operation_problem.h"

namespace hone::iree {
namespace {

/// Process-wide flags for tuning specs.
constexpr std::array<std::string_view, 3> kSpecFlags = {
    "--iree-codegen-transform-dialect-library", "--iree-codegen-enable-default-tuning-specs",
    "--iree-codegen-dump-tuning-specs-to"};
/// Marks root operations in IREE 3.10.
constexpr const char* kMarkRootsBefore = "--iree-config-add-tuner-attributes";
/// Other flags that a session does not accept.
constexpr std::array<std::string_view, 6> kProcessFlags = {
    kMarkRootsBefore,
    "--iree-dispatch-creation-experimental-set-data-tiling-ops",
    "--iree-llvmcpu-distribution-size",
    "--iree-llvmcpu-matmul-tile-bytes",
    "--iree-llvmcpu-number-of-threads",
    "--iree-llvmcpu-vector-pproc-strategy"};

bool isOneOf(std::string_view flag, std::span<const std::string_view> names) {
  const auto name = flag.substr(0, flag.find('='));
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isSpecFlag(std::string_view flag) { return isOneOf(flag, kSpecFlags); }

/// Returns true if the flag makes the compiler read a spec.
bool readsSpec(std::string_view flag) {
  return isSpecFlag(flag) || flag.starts_with("--iree-codegen-tuning-spec-path=");
}

/// Returns true if the compiler library accepts the flag only for the whole process.
bool isProcessFlag(std::string_view flag) {
  return isSpecFlag(flag) || isOneOf(flag, kProcessFlags);
}

/// Prints the error, if any, to stderr as one line. Returns true if there is one.
bool printError(const CompilerApi& api, CompilerError* error) {
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

bool printFailure(const Result<void>& result) {
  if (!result) {
    fmt::print(stderr, "error: {}\n", result.error().message);
  }
  return !result;
}

/// Moves the process-wide flags from `flags` to the compiler. Must be called before a session is
/// created. An invalid flag ends the process.
void setGlobalFlags(const CompilerApi& api, std::vector<std::string>& flags) {
  std::vector<std::string> global = {"iree-compile"};
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(global), isProcessFlag);
  std::erase_if(flags, isProcessFlag);
  if (global.size() > 1) {
    const auto pointers = pointersTo(global);
    api.setGlobalFlags(static_cast<int>(pointers.size()), pointers.data(), "", false);
  }
}

/// Returns the flag that marks root operations in the IR. IREE 3.10 has another one.
const char* markRootsFlag(const CompilerApi& api) {
  const char* revision = api.getRevision();
  const bool isOld = revision != nullptr && std::string_view(revision).starts_with("3.10.");
  return isOld ? kMarkRootsBefore : "--iree-codegen-add-tuner-attributes";
}

/// Adds the flags that a kind of job needs; returns false on failure.
template <typename Job>
bool addJobFlags(const CompilerApi& api, const Job& /*job*/, std::vector<std::string>& flags) {
  constexpr bool kMatchers =
      std::is_same_v<Job, ListMatchersJob> || std::is_same_v<Job, ListOperationsJob>;
  if (std::is_same_v<Job, ListRootsJob> || std::is_same_v<Job, ReadSpecMarksJob> ||
      std::is_same_v<Job, PrintDispatchJob> || kMatchers) {
    flags.emplace_back(markRootsFlag(api));
  }
  if (std::is_same_v<Job, ListConstraintsJob> && api.hasConstraints()) {
    flags.emplace_back("--iree-codegen-emit-pipeline-constraints");
  }
  if (kMatchers) {
    std::erase_if(flags, isSpecFlag);  // another spec would replace or disturb the probe
    auto probe = setUpProbe();
    if (!probe) {
      return false;
    }
    flags.push_back(std::move(*probe));
  }
  return true;
}

/// Runs one job in this process. Each operator() handles one kind and returns the exit code.
class JobRunner {
 public:
  JobRunner(const CompilerApi& api, const CompileJob& job) : api_(api), job_(job) {}

  [[nodiscard]] int run() {
    const int code = open();
    return code != 0 ? code : std::visit(*this, job_.request);
  }

  int operator()(const CompileModuleJob& /*request*/) { return finishFrom(job_.from); }
  int operator()(const LowerModuleJob& request);
  int operator()(const CompileConfiguredJob& request);
  int operator()(const CompileVariantsJob& request);
  int operator()(const CompileSplitsJob& request);
  int operator()(const AnnotateSplitsJob& request);
  int operator()(const DescribeModuleJob& /*request*/) { return replyWith(describeModule); }
  int operator()(const ListProblemsJob& /*request*/) { return replyWith(problemsIn); }
  int operator()(const ListLayersJob& /*request*/) {
    return reach(kPhaseAbi) ? replyWith(layersIn) : kExitFailed;
  }
  int operator()(const ListRootsJob& request);
  int operator()(const ListDispatchesJob& request);
  int operator()(const ListConstraintsJob& request);
  int operator()(const ListReductionsJob& request);
  int operator()(const ReadSpecJob& request);
  int operator()(const ReadSpecMarksJob& /*request*/) { return replyConfigured(specMarks); }
  int operator()(const ListMatchersJob& /*request*/) { return replyConfigured(matchersIn); }
  int operator()(const ListOperationsJob& /*request*/) { return replyConfigured(operationsIn); }
  int operator()(const ListDispatchGraphJob& /*request*/) {
    return reach(kPhaseFlow) ? replyWith(dispatchGraphIn) : kExitFailed;
  }
  int operator()(const PrintDispatchJob& request) {
    return replyConfigured([&](const CompilerApi& api, MlirOperation module) {
      return DispatchIr{dispatchText(api, module, request.dispatch)};
    });
  }

 private:
  /// Parses the source in a new session. Returns an exit code, or 0 to continue.
  int open();
  [[nodiscard]] static int exitCode(bool done) { return done ? 0 : kExitFailed; }

  /// Runs the passes between two phases.
  bool runPhases(const std::string& from, const std::string& to) {
    api_.invocationFrom(invocation_, from.c_str());
    api_.invocationTo(invocation_, to.c_str());
    return api_.invocationPipeline(invocation_, Pipeline::standard);
  }
  /// Runs the passes up to a phase unless the source has already completed it.
  bool reach(const char* phase) { return job_.from == phase || runPhases(job_.from, phase); }

  /// Splits each softmax for a GPU into its parts. The compiler does the same before it reads
  /// configurations, so they can only be attached to the parts.
  bool splitSoftmax();

  /// Calls `edit` with the module and returns the module to the invocation afterwards.
  template <typename Edit>
  bool withModule(const Edit& edit) {
    const MlirOperation module = api_.invocationTakeModule(invocation_);
    const bool done = edit(module);
    return api_.invocationGiveModule(invocation_, module) && done;
  }

  template <typename Reply>
  bool writeReply(const Reply& reply) {
    return !printFailure(writeScratchFile(replyPath(job_.output), encode(reply)));
  }
  /// Replies with what `read` finds in the current module.
  template <typename Read>
  int replyWith(const Read& read) {
    return exitCode(
        withModule([&](MlirOperation module) { return writeReply(read(api_, module)); }));
  }
  /// Replies with what `read` finds in the configured module.
  template <typename Read>
  int replyConfigured(const Read& read) {
    return runPhases(job_.from, kPhaseExecutableConfigurations) ? replyWith(read) : kExitFailed;
  }

  /// Writes the job's file with a function of the compiler.
  template <typename Write, typename... Args>
  bool writeOutput(const Write& write, Args... args) {
    Output* output = nullptr;
    if (printError(api_, api_.outputOpenFile(job_.output.c_str(), &output)) ||
        printError(api_, write(invocation_, output, args...))) {
      return false;
    }
    api_.outputKeep(output);
    api_.outputDestroy(output);
    return true;
  }
  /// Fixes the shapes of a function's inputs, if the request names one.
  bool fixShapes(const LowerModuleJob& request);
  /// Runs the remaining passes and writes the module.
  int finishFrom(const std::string& phase) {
    return exitCode(runPhases(phase, kPhaseEnd) && writeOutput(api_.outputVmBytecode));
  }

  /// Runs the compiler's configuration phase. Returns a description of the ignored configurations
  /// per variant, or nothing if the passes fail.
  std::optional<std::vector<std::string>> configure(
      const std::vector<std::vector<AttachedConfig>>& attached);

  const CompilerApi& api_;
  const CompileJob& job_;
  MlirContext context_{nullptr};
  Invocation* invocation_ = nullptr;
};

int JobRunner::open() {
  std::vector<std::string> flags = job_.flags;
  if (!std::visit([&](const auto& request) { return addJobFlags(api_, request, flags); },
                  job_.request)) {
    return kExitFailed;
  }
  const bool hasSpec = std::ranges::any_of(flags, readsSpec);
  setGlobalFlags(api_, flags);
  Session* session = api_.sessionCreate();
  const auto pointers = pointersTo(flags);
  if (printError(api_, api_.sessionSetFlags(session, static_cast<int>(pointers.size()),
                                            pointers.data()))) {
    return kExitBadFlag;
  }
  context_ = api_.sessionContext(session);
  // The probe's output must not be interleaved with that of other threads.
  const bool probes = std::holds_alternative<ListMatchersJob>(job_.request) ||
                      std::holds_alternative<ListOperationsJob>(job_.request);
  // IREE 3.13 verifies a spec on all threads while it holds a lock. A thread that waits for the
  // verification may take up the next dispatch, which needs the same lock.
  api_.contextThreads(context_, job_.threads && !probes && !hasSpec);
  invocation_ = api_.invocationCreate(session);
  api_.invocationConsole(invocation_);
  api_.invocationVerifyIr(invocation_, job_.verifyIr);
  Source* source = nullptr;
  if (printError(api_, api_.sourceOpenFile(session, job_.source.c_str(), &source)) ||
      !api_.invocationParse(invocation_, source)) {
    return kExitBadSource;
  }
  return 0;
}

bool JobRunner::splitSoftmax() {
  constexpr const char* kPasses =
      "hal.executable(hal.executable.variant(builtin.module(func.func("
      "iree-codegen-decompose-softmax))))";
  bool found = false;
  const bool given = withModule([&](MlirOperation module) {
    found = hasGpuSoftmax(api_, module);
    return true;
  });
  return given && (!found || api_.invocationPasses(invocation_, kPasses));
}

std::optional<std::vector<std::string>> JobRunner::configure(
    const std::vector<std::vector<AttachedConfig>>& attached) {
  std::vector<std::string> ignored;
  if (!runPhases(kPhaseExecutableSources, kPhaseExecutableConfigurations) ||
      !withModule([&](MlirOperation module) {
        for (const auto& configs : attached) {
          ignored.push_back(ignoredConfigs(api_, module, configs));
        }
        return true;
      })) {
    return std::nullopt;
  }
  return ignored;
}

bool JobRunner::fixShapes(const LowerModuleJob& request) {
  if (request.function.empty()) {
    return true;
  }
  InputShapes shapes;
  for (const std::vector<std::int64_t>& shape : request.shapes) {
    shapes.push_back(shape.empty() ? std::nullopt : std::optional(shape));
  }
  const MlirOperation module = api_.invocationTakeModule(invocation_);
  const std::string text = fixInputShapes(api_.text(module), request.function, shapes);
  const MlirOperation fixed =
      api_.operationParse(context_, MlirStringRef::of(text), MlirStringRef::of("fixed shapes"));
  return fixed.ptr != nullptr && api_.invocationGiveModule(invocation_, fixed);
}

int JobRunner::operator()(const LowerModuleJob& request) {
  const auto rename = [&](MlirOperation module) {
    if (request.bareNames) {
      renameFunctions(api_, context_, module);
    }
    return true;
  };
  return exitCode(runPhases(job_.from, request.to) && withModule(rename) && fixShapes(request) &&
                  writeOutput(api_.outputIrBytecode, -1));
}

int JobRunner::operator()(const CompileConfiguredJob& request) {
  std::optional<std::vector<AttachedConfig>> attached;
  if (!splitSoftmax()) {
    return kExitFailed;
  }
  if (!withModule([&](MlirOperation module) {
        attached = attachAttributes(api_, context_, module, request.attributes);
        return attached.has_value();
      })) {
    return kExitNoMatch;
  }
  const auto ignored = configure({*attached});
  if (!ignored || !writeReply(ConfiguredCode{.contents = {}, .ignored = *ignored})) {
    return kExitFailed;
  }
  return finishFrom(kPhaseExecutableConfigurations);
}

int JobRunner::operator()(const CompileVariantsJob& request) {
  Expansion expansion = Expansion::done;
  std::vector<std::vector<AttachedConfig>> attached;
  if (!splitSoftmax()) {
    return kExitFailed;
  }
  const bool given = withModule([&](MlirOperation module) {
    expansion = expandVariants(api_, context_, module, request.variants, attached);
    return true;
  });
  if (expansion != Expansion::done) {
    return expansion == Expansion::noMatch ? kExitNoMatch : kExitNoVariants;
  }
  const auto ignored = given ? configure(attached) : std::nullopt;
  // Replies twice, so that the ignored configurations are known even if a later pass fails.
  if (!ignored || !writeReply(ConfiguredCode{.contents = {}, .ignored = *ignored}) ||
      !runPhases(kPhaseExecutableConfigurations, kPhaseExecutableTargets)) {
    return kExitFailed;
  }
  // Hash before code generation, while each copy still has its own executables.
  const bool written = withModule([&](MlirOperation module) {
    return writeReply(ConfiguredCode{
        .contents = variantContents(api_, module, request.variants.size()), .ignored = *ignored});
  });
  return written ? finishFrom(kPhaseExecutableTargets) : kExitFailed;
}

int JobRunner::operator()(const CompileSplitsJob& request) {
  const bool expanded = withModule(
      [&](MlirOperation module) { return expandSplits(api_, context_, module, request.choices); });
  if (!expanded) {
    return kExitNoMatch;
  }
  if (!runPhases(job_.from, kPhaseFlow) || replyWith(splitsIn) != 0) {
    return kExitFailed;
  }
  return finishFrom(kPhaseFlow);
}

int JobRunner::operator()(const AnnotateSplitsJob& request) {
  const bool attached = withModule(
      [&](MlirOperation module) { return attachSplits(api_, context_, module, request.sizes); });
  return attached ? exitCode(writeOutput(api_.outputIrText)) : kExitNoMatch;
}

int JobRunner::operator()(const ListRootsJob& /*request*/) {
  const auto number = [&](MlirOperation module) {
    numberOperations(api_, context_, module);
    return true;
  };
  const bool configured = reach(kPhaseExecutableSources) && splitSoftmax() && withModule(number) &&
                          runPhases(kPhaseExecutableSources, kPhaseExecutableConfigurations);
  return configured ? replyWith(rootsIn) : kExitFailed;
}

int JobRunner::operator()(const ListDispatchesJob& /*request*/) {
  if (job_.from == kPhaseExecutableSources) {
    return replyWith(benchmarkDispatchesIn);
  }
  return reach(kPhaseFlow) ? replyWith(dispatchesIn) : kExitFailed;
}

int JobRunner::operator()(const ListConstraintsJob& request) {
  if (!api_.hasConstraints()) {
    return exitCode(writeReply(ProgramConstraints{}));
  }
  return exitCode(runPhases(job_.from, kPhaseExecutableConfigurations) &&
                  withModule([&](MlirOperation module) {
                    const auto found = constraintsIn(api_, module, request.assignments);
                    return found && writeReply(*found);
                  }));
}

int JobRunner::operator()(const ListReductionsJob& request) {
  ProgramReductions found;
  const auto readOperations = [&](MlirOperation module) {
    found.operations = reductionsIn(api_, module);
    return true;
  };
  const auto readSplits = [&](MlirOperation module) {
    found.splits = splitsIn(api_, module);
    return true;
  };
  if (!withModule(readOperations)) {
    return kExitFailed;
  }
  if (request.compilersOwn && (!runPhases(job_.from, kPhaseFlow) || !withModule(readSplits))) {
    return kExitFailed;
  }
  return exitCode(writeReply(found));
}

int JobRunner::operator()(const ReadSpecJob& /*request*/) {
  return exitCode(withModule([&](MlirOperation module) {
    const std::string marked = markedSpec(api_, module);
    return !marked.empty() && !printFailure(writeScratchFile(job_.output, marked)) &&
           writeReply(describeSpec(api_, module));
  }));
}

}  // namespace

int performJob(const CompilerApi& api, const CompileJob& job) { return JobRunner(api, job).run(); }

}  // namespace hone::iree
