#include "kernel/judge/judge.h"

#include <algorithm>

#include "base/file.h"
#include "engine/machine_lock.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/judge/timing/kernel_timer.h"
#include "kernel/judge/verify/kernel_verifier.h"
#include "kernel/source/cheats/cheats.h"
#include "kernel/worker/cpp/library_symbols.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// Describes a file or symbol that a built kernel depends on but may not use; "" if there is none.
Result<std::string> findForbiddenDependency(const CppBuilt& built) {
  if (!built.files.empty()) {
    return fmt::format("reads {} during the build; a kernel may include only standard headers",
                       built.files.front());
  }
  for (const std::string& symbol : HONE_TRY(neededSymbols(built.library))) {
    if (!isAllowedSymbol(symbol)) {
      return fmt::format(
          "needs {}, which kernels may not use; allowed are memory, math, OpenMP and the C++ "
          "library "
          "without clocks and files",
          symbol);
    }
  }
  return "";
}

}  // namespace

/// Members refer to each other, so the state must not move.
struct Judge::State {
  explicit State(JudgeContext shared)
      : context(std::move(shared)), verifier(context), timer(context, verifier) {}
  /// Builds the runnable of an implementation. Returns nullopt if the build fails; `judged` says
  /// why.
  [[nodiscard]] Result<std::optional<Runnable>> makeRunnable(const Implementation& implementation,
                                                             JudgeResult& judged);
  /// Scans a source for cheats. Returns false if it has some, or if preprocessing fails; `judged`
  /// says why.
  [[nodiscard]] Result<bool> scan(const Source& source, JudgeResult& judged);

  JudgeContext context;
  KernelVerifier verifier;
  KernelTimer timer;
};

Judge::Judge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;
Judge::~Judge() = default;

Result<Judge> Judge::open(Task task, JudgeOptions options) {
  return Judge(
      std::make_unique<State>(HONE_TRY(JudgeContext::open(std::move(task), std::move(options)))));
}

const Task& Judge::task() const { return state_->context.task; }

bool Judge::hasPyTorch() const {
  return !state_->context.options.python.empty() && !state_->context.task.pytorch.empty();
}

Result<std::optional<Runnable>> Judge::State::makeRunnable(const Implementation& implementation,
                                                           JudgeResult& judged) {
  if (implementation.source == nullptr) {
    return HONE_TRY(
        pytorchRunnable(context.options, context.task.pytorch, LoadRequest::Precision::f32));
  }
  const Source& source = *implementation.source;
  if (source.language == Language::tilelang) {
    const std::filesystem::path file = context.options.folder / fmt::format("{}.py", source.key());
    HONE_CHECK(writeFile(file, source.text));
    judged.artifact = source.key();
    return HONE_TRY(tileLangRunnable(context.options, file, context.task.pytorch));
  }
  const CppBuilt built = HONE_TRY(context.builder.build(source.text, source.flags));
  judged.outcome = built.outcome;
  judged.message = built.message;
  judged.diagnostics = built.diagnostics;
  judged.artifact = built.artifact;
  judged.buildWallNs = built.wallNs;
  judged.buildCpuNs = built.cpuNs;
  judged.facts.remarks = built.remarks;
  if (!built.ok()) {
    judged.facts.stoppedBy = Defence::compiler;
    return std::nullopt;
  }
  if (!checkFair(HONE_TRY(findForbiddenDependency(built)), judged)) {
    judged.facts.stoppedBy = Defence::symbols;
    return std::nullopt;
  }
  return HONE_TRY(cppRunnable(context.options, built.library, "kernel"));
}

Result<bool> Judge::State::scan(const Source& source, JudgeResult& judged) {
  std::string code = source.text;
  if (source.language == Language::cpp) {
    CppPreprocessed expanded = HONE_TRY(context.builder.preprocess(source.text, source.flags));
    if (!expanded.ok()) {
      judged.outcome = expanded.outcome;
      judged.message = std::move(expanded.message);
      judged.diagnostics = std::move(expanded.diagnostics);
      judged.facts.stoppedBy = Defence::compiler;
      return false;
    }
    code = std::move(expanded.own);
  }
  const std::vector<Cheat> cheats = findCheats(source.language, code);
  if (cheats.empty()) {
    return true;
  }
  judged.outcome = Outcome::invalid;
  judged.message = cheats.front().text();
  for (const Cheat& cheat : cheats) {
    judged.diagnostics += cheat.text() + "\n";
  }
  judged.facts.stoppedBy = Defence::scan;
  return false;
}

Result<JudgeResult> Judge::judge(const Source& source, std::uint64_t salt) {
  JudgeResult judged;
  std::optional<Runnable> runnable;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    if (!HONE_TRY(state_->scan(source, judged))) {
      return judged;
    }
    runnable = HONE_TRY(state_->makeRunnable({&source}, judged));
    if (!runnable) {
      return judged;
    }
    // C++ kernels accept the sizes of C++ references only.
    const bool general = !hasFixedSizes(source) && (source.language == Language::tilelang ||
                                                    !state_->context.task.inPython());
    Runnable verified = *runnable;
    if (general && state_->context.task.inPython()) {
      verified.load.others = state_->context.task.otherSizes();
    }
    HONE_CHECK(state_->verifier.verify(verified, general, salt, judged));
    // The twin on the CPU is correct, but the kernel itself does not exist.
    if (judged.ok() && !judged.facts.cudaError.empty()) {
      judged.outcome = Outcome::compileFailed;
      judged.message = judged.facts.cudaError;
    }
  }
  if (judged.ok() && judged.facts.timed) {
    const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
    HONE_CHECK(state_->timer.time(*runnable, model::Stage::screen, 0, 0, judged));
  }
  return judged;
}

Result<JudgeResult> Judge::measure(const Implementation& implementation, model::Stage stage,
                                   std::int64_t round, std::int64_t position) {
  if (implementation.source == nullptr && !hasPyTorch()) {
    return userError("{} has no PyTorch reference to time", state_->context.task.name);
  }
  JudgeResult judged;
  const auto runnable = HONE_TRY(state_->makeRunnable(implementation, judged));
  if (runnable) {
    HONE_CHECK(state_->timer.time(*runnable, stage, round, position, judged));
  }
  return judged;
}

}  // namespace hone::kernel
