#include "kernel/judge/judge.h"

#include <algorithm>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "engine/machine_lock.h"
#include "kernel/judge/judge_state.h"
#include "kernel/judge/reference_text.h"
#include "kernel/source/cheats.h"
#include "kernel/worker/library_symbols.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// A worker maps each tensor in two places, twice.
constexpr double kCopies = 4;
/// What a library that was built from a kernel has that is not the kernel's own; "" or a sentence.
Result<std::string> notItsOwn(const CppBuilt& built) {
  if (!built.files.empty()) {
    return fmt::format("reads {} while it is built; a kernel is one file, and standard headers",
                       built.files.front());
  }
  for (const std::string& symbol : HONE_TRY(neededSymbols(built.library))) {
    if (!mayNeed(symbol)) {
      return fmt::format(
          "needs {}, which is not for kernels; they have memory, mathematics, OpenMP and C++'s own "
          "library, without clocks and files",
          symbol);
    }
  }
  return "";
}

/// Two placements, the reference's in f64, and as much again for other shapes.
constexpr double kAllCopies = 8;

Result<void> checkMemory(const Task& task, const JudgeOptions& options) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const auto allowed = static_cast<double>(options.limits.memoryBytes);
  if (allowed > 0 && task.shape.bytes() * kCopies > allowed) {
    return userError("{}: its tensors need {:.1f} GiB, and a kernel may have {:.1f} GiB",
                     task.reference.string(), task.shape.bytes() * kCopies / kGiB, allowed / kGiB);
  }
  return {};
}

Result<std::vector<std::array<CallTensors, 2>>> makeTensors(const Task& task,
                                                            const std::filesystem::path& folder) {
  std::vector<std::array<CallTensors, 2>> tensors;
  const auto add = [&](const Shape& shape) -> Result<void> {
    const std::size_t number = tensors.size();
    auto begin = HONE_TRY(
        CallTensors::create(folder, fmt::format("b{}", number), shape, Placement::begin, false));
    auto end = HONE_TRY(
        CallTensors::create(folder, fmt::format("e{}", number), shape, Placement::end, false));
    tensors.push_back({std::move(begin), std::move(end)});
    return {};
  };
  HONE_CHECK(add(task.shape));
  for (const Shape& other : task.others) {
    HONE_CHECK(add(other));
  }
  return tensors;
}

}  // namespace

Judge::Judge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;
Judge::~Judge() = default;

Result<Judge> Judge::open(Task task, JudgeOptions options) {
  HONE_CHECK(checkMemory(task, options));
  HONE_CHECK(makeFolder(options.folder));
  auto memory = HONE_TRY(TensorFolder::create(task.shape.bytes() * kAllCopies));
  auto builder = HONE_TRY(CppBuilder::open(options.folder / "built", options.limits));
  auto reference = HONE_TRY(ReferenceRun::open(task, options, builder, memory.path()));
  auto peak = HONE_TRY(MachinePeak::open(options, memory.path()));
  auto tensors = HONE_TRY(makeTensors(task, memory.path()));
  const Random random(seedFrom(options.seed, utcNow()));
  return Judge(std::make_unique<State>(State{std::move(task),
                                             std::move(options),
                                             std::move(memory),
                                             std::move(builder),
                                             std::move(reference),
                                             std::move(peak),
                                             std::move(tensors),
                                             {},
                                             random}));
}

const Task& Judge::task() const { return state_->task; }

bool Judge::hasPyTorch() const {
  return !state_->options.python.empty() && !state_->task.pytorch.empty();
}

Result<std::optional<Runnable>> Judge::State::runnableOf(const Contestant& contestant,
                                                         Judged& judged) {
  if (contestant.source == nullptr) {
    return HONE_TRY(pytorchRunnable(options, task.pytorch, "f32"));
  }
  const Source& source = *contestant.source;
  if (source.language == Language::tilelang) {
    const std::filesystem::path file = options.folder / fmt::format("{}.py", source.key());
    HONE_CHECK(writeFile(file, source.text));
    judged.artifact = source.key();
    return HONE_TRY(tileLangRunnable(options, file, task.pytorch));
  }
  const CppBuilt built = HONE_TRY(builder.build(source.text, source.flags));
  judged.outcome = built.outcome;
  judged.message = built.message;
  judged.diagnostics = built.diagnostics;
  judged.artifact = built.artifact;
  judged.buildWallNs = built.wallNs;
  judged.buildCpuNs = built.cpuNs;
  judged.facts["remarks"] = built.remarks;
  if (!built.ok() || !isFair(HONE_TRY(notItsOwn(built)), judged)) {
    return std::nullopt;
  }
  return HONE_TRY(cppRunnable(options, built.library, "kernel"));
}

Result<Judged> Judge::judge(const Source& source, std::uint64_t salt) {
  Judged judged;
  if (const std::vector<Cheat> cheats = findCheats(source); !cheats.empty()) {
    judged.outcome = Outcome::invalid;
    judged.message = cheats.front().text();
    for (const Cheat& cheat : cheats) {
      judged.diagnostics += cheat.text() + "\n";
    }
    return judged;
  }
  std::optional<Runnable> runnable;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    runnable = HONE_TRY(state_->runnableOf({&source}, judged));
    if (!runnable) {
      return judged;
    }
    // C++ kernels take the sizes of a C++ reference only.
    const bool general = !hasFixedSizes(source) &&
                         (source.language == Language::tilelang || !state_->task.inPython());
    Runnable verified = *runnable;
    if (general && state_->task.inPython()) {
      verified.load["others"] = state_->task.otherSizes();
    }
    HONE_CHECK(state_->verify(verified, general, salt, judged));
  }
  if (judged.ok() && judged.facts.value("timed", true)) {
    const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
    HONE_CHECK(state_->time(*runnable, model::Stage::screen, 0, 0, judged));
  }
  return judged;
}

Result<Judged> Judge::measure(const Contestant& contestant, model::Stage stage, std::int64_t round,
                              std::int64_t position) {
  if (contestant.source == nullptr && !hasPyTorch()) {
    return userError("{} has no PyTorch form that could be timed", state_->task.name);
  }
  Judged judged;
  const auto runnable = HONE_TRY(state_->runnableOf(contestant, judged));
  if (runnable) {
    HONE_CHECK(state_->time(*runnable, stage, round, position, judged));
  }
  return judged;
}

}  // namespace hone::kernel
