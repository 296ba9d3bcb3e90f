#include "kernel/judge/execution/call_overhead.h"

#include <algorithm>
#include <array>

#include "base/random.h"

namespace hone::kernel {
namespace {

constexpr const char* kEmpty = "extern \"C\" void kernel() {}\n";
constexpr int kWarmUpCalls = 20;
constexpr int kOverheadCalls = 200;

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.empty()
             ? 0
             : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

Shape overheadShape() {
  Shape shape;
  shape.inputs = {{"in", {{64}, model::ElementType::f32}}};
  shape.outputs = {{"out", {{64}, model::ElementType::f32}}};
  return shape;
}

}  // namespace

CallTime Overhead::subtractFrom(const CallTime& time) const {
  const double least = std::max(noiseNs, 1.0);
  return {.wallNs = std::max(time.wallNs - median.wallNs, least),
          .cpuNs = std::max(time.cpuNs - median.cpuNs, least)};
}

Result<CallOverhead> CallOverhead::open(const JudgeOptions& options,
                                        const std::filesystem::path& tensorFolder) {
  auto tensors = HONE_TRY(
      CallTensors::create(tensorFolder, "overhead", overheadShape(), Placement::begin, false));
  return CallOverhead(options, std::move(tensors));
}

Result<Overhead> CallOverhead::measure(const Runnable& runnable, CallTensors& tensors) const {
  JudgeResult judged;
  const std::array<const CallTensors*, 1> all = {&tensors};
  auto running = HONE_TRY(RunningKernel::start(runnable, all, options_.limits.wall, judged));
  std::optional<PinnedThread> pinned;
  if (running && options_.threads == 1 && runnable.onCpu()) {
    pinned.emplace();
    running->pinTo(pinned->cpu());
  }
  std::vector<double> wall;
  std::vector<double> cpu;
  Random random(1);
  for (int i = 0; running && i < kWarmUpCalls + kOverheadCalls; ++i) {
    tensors.markOutputs(random);
    const auto timed = HONE_TRY(running->time(tensors, options_.limits.wall, judged));
    if (!timed) {
      break;
    }
    if (i >= kWarmUpCalls) {
      wall.push_back(timed->wallNs);
      cpu.push_back(timed->cpuNs);
    }
  }
  if (!judged.ok()) {
    return machineError("cannot measure the overhead of a call: {}", judged.message);
  }
  const double median = quantile(cpu, 0.5);
  return Overhead{.median = {.wallNs = quantile(wall, 0.5), .cpuNs = median},
                  .noiseNs = median - quantile(cpu, 0.1)};
}

Result<Overhead> CallOverhead::cpp(CppBuilder& builder) {
  if (!cpp_) {
    const CppBuilt built = HONE_TRY(builder.build(kEmpty, {}));
    if (!built.ok()) {
      return machineError("cannot measure the overhead of a call: {}", built.message);
    }
    cpp_ = HONE_TRY(measure(HONE_TRY(cppRunnable(options_, built.library, "kernel")), tensors_));
  }
  return *cpp_;
}

Result<Overhead> CallOverhead::python(CallTensors& tensors) {
  if (!python_) {
    python_ = HONE_TRY(measure(HONE_TRY(emptyPythonRunnable(options_)), tensors));
  }
  return *python_;
}

}  // namespace hone::kernel
