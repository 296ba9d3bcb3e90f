#include "kernel/judge/judge_context.h"

#include <algorithm>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

/// A kernel's process maps each tensor in two placements.
constexpr double kCopies = 2;
/// Two placements, the f64 tensors of the reference, and the same again for other shapes.
constexpr double kAllCopies = 8;

Result<void> checkMemory(const Task& task, const JudgeOptions& options) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const auto allowed = static_cast<double>(options.limits.memoryBytes);
  if (allowed > 0 && task.shape.bytes() * kCopies > allowed) {
    return userError("{}: the tensors need {:.1f} GiB, but a kernel may use at most {:.1f} GiB",
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

Result<JudgeContext> JudgeContext::open(Task task, JudgeOptions options) {
  HONE_CHECK(checkMemory(task, options));
  HONE_CHECK(makeFolder(options.folder));
  auto memory = HONE_TRY(TensorFolder::create(task.shape.bytes() * kAllCopies));
  auto builder = HONE_TRY(CppBuilder::open(options.folder / "built", options.limits));
  auto reference = HONE_TRY(ReferenceRun::open(task, options, builder, memory.path()));
  auto peak = HONE_TRY(MachinePeak::open(options, memory.path()));
  auto overhead = HONE_TRY(CallOverhead::open(options, memory.path()));
  auto tensors = HONE_TRY(makeTensors(task, memory.path()));
  const Random random(seedFrom(options.seed, utcNow()));
  return JudgeContext{.task = std::move(task),
                      .options = std::move(options),
                      .memory = std::move(memory),
                      .builder = std::move(builder),
                      .reference = std::move(reference),
                      .peak = std::move(peak),
                      .overhead = std::move(overhead),
                      .tensors = std::move(tensors),
                      .random = random};
}

milliseconds JudgeContext::callTimeout(std::size_t shape) const {
  // The reference is a plain f64 loop: a kernel that is fifty times slower hangs or is useless.
  constexpr milliseconds kMinTimeout(5000);
  const auto most =
      kMinTimeout + std::chrono::duration_cast<milliseconds>(reference.longestCall(shape)) * 50;
  return std::min(options.limits.wall, most);
}

}  // namespace hone::kernel
