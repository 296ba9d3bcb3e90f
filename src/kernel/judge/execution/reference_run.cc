#include "kernel/judge/execution/reference_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "base/file.h"
#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

/// Small enough for the reference to be linear, and as large as a few roundings of f32: where the
/// reference rounds or compares, a kernel may be on the other side of a step by its own roundings.
constexpr double kPerturbation = 0x1p-21;

Result<Runnable> runnableFor(const Task& task, const JudgeOptions& options, CppBuilder& builder) {
  if (task.inPython()) {
    Runnable runnable =
        HONE_TRY(pytorchRunnable(options, task.reference, LoadRequest::Precision::f64));
    runnable.load.others = task.otherSizes();
    return runnable;
  }
  const std::string text = HONE_TRY(readFile(task.reference));
  const std::array<std::string, 1> flags = {"-O3"};
  const CppBuilt built = HONE_TRY(builder.build(text, flags));
  if (!built.ok()) {
    return userError("{}: {}", task.reference.string(), built.message);
  }
  return cppRunnable(options, built.library, "reference");
}

std::vector<verify::Tensor> widenAll(std::span<const verify::Tensor> inputs) {
  std::vector<verify::Tensor> wide;
  for (const verify::Tensor& input : inputs) {
    wide.push_back(widenToF64(input));
  }
  return wide;
}

/// Converts the inputs to f64 and multiplies each float by `one` or `other` at random. Integers are
/// unchanged: they may be indices.
std::vector<verify::Tensor> perturb(std::span<const verify::Tensor> inputs, std::uint64_t seed,
                                    double one, double other) {
  Random random(seed);
  std::vector<verify::Tensor> out = widenAll(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!model::isFloat(inputs[i].type.element)) {
      continue;
    }
    for (std::size_t at = 0; at < out[i].data.size(); at += sizeof(double)) {
      double value = 0;
      std::memcpy(&value, out[i].data.data() + at, sizeof value);
      value *= (random.next() & 1U) != 0 ? one : other;
      std::memcpy(out[i].data.data() + at, &value, sizeof value);
    }
  }
  return out;
}

double finiteOr0(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

Result<ReferenceRun> ReferenceRun::open(const Task& task, const JudgeOptions& options,
                                        CppBuilder& builder,
                                        const std::filesystem::path& tensorFolder) {
  const Runnable runnable = HONE_TRY(runnableFor(task, options, builder));
  std::vector<CallTensors> tensors;
  tensors.push_back(
      HONE_TRY(CallTensors::create(tensorFolder, "f0", task.shape, Placement::begin, true)));
  for (const Shape& other : task.others) {
    tensors.push_back(HONE_TRY(CallTensors::create(tensorFolder, fmt::format("f{}", tensors.size()),
                                                   other, Placement::begin, true)));
  }
  std::vector<const CallTensors*> all;
  for (const CallTensors& each : tensors) {
    all.push_back(&each);
  }
  JudgeResult judged;
  auto running = HONE_TRY(RunningKernel::start(runnable, all, options.limits.wall, judged));
  const std::string name = task.reference.filename().string();
  if (!running) {
    return userError("reference {} failed: {}", name, judged.message);
  }
  // The tensors will hold the expected outputs, and Python kernels can read files.
  for (CallTensors& each : tensors) {
    each.unlinkFiles();
  }
  return ReferenceRun(*std::move(running), std::move(tensors), task.reference, options.limits.wall);
}

Result<Expected> ReferenceRun::run(std::size_t shape, std::span<const verify::Tensor> wide) {
  CallTensors& tensors = tensors_[shape];
  tensors.fill(wide, random_);
  JudgeResult judged;
  const std::int64_t beginNs = nowNs();
  if (!HONE_TRY(running_.call(tensors, limit_, judged))) {
    return userError("reference {} failed: {}", name_, judged.message);
  }
  longest_[shape] = std::max(longest_[shape], std::chrono::nanoseconds(nowNs() - beginNs));
  if (auto harm = tensors.findStrayWrite(wide)) {
    return userError("reference {} is wrong: it {}", name_, *harm);
  }
  const std::vector<verify::Tensor> outputs = tensors.outputs();
  if (auto left = tensors.findUnwritten(outputs)) {
    return userError("reference {} is wrong: it {}", name_, *left);
  }
  Expected expected;
  for (const verify::Tensor& output : outputs) {
    expected.push_back(verify::toNumbers<double>(output));
  }
  return expected;
}

Result<Expected> ReferenceRun::compute(std::size_t shape, std::span<const verify::Tensor> inputs) {
  return run(shape, widenAll(inputs));
}

Result<std::vector<verify::Tensor>> ReferenceRun::naturalInputs(std::size_t shape,
                                                                std::uint64_t seed) {
  std::vector<verify::Tensor> inputs;
  if (file_.extension() != ".py") {
    return inputs;
  }
  JudgeResult judged;
  const CallTensors& tensors = tensors_[shape];
  if (!HONE_TRY(running_.make(tensors, file_, seed, limit_, judged))) {
    return userError("reference {} failed: {}", name_, judged.message);
  }
  for (std::size_t i = 0; i < tensors.inputCount(); ++i) {
    inputs.push_back(tensors.input(i));
  }
  return inputs;
}

Result<Expected> ReferenceRun::condition(std::size_t shape, std::span<const verify::Tensor> inputs,
                                         const Expected& expected, std::uint64_t seed) {
  Expected condition =
      HONE_TRY(run(shape, perturb(inputs, seed, 1 + kPerturbation, 1 - kPerturbation)));
  for (std::size_t output = 0; output < condition.size(); ++output) {
    for (std::size_t at = 0; at < condition[output].size(); ++at) {
      const double moved = std::abs(condition[output][at] - expected[output][at]);
      condition[output][at] = finiteOr0(moved / kPerturbation);
    }
  }
  return condition;
}

Result<Expected> ReferenceRun::signFlipMagnitudes(std::size_t shape,
                                                  std::span<const verify::Tensor> inputs,
                                                  std::uint64_t seed) {
  Expected sizes = HONE_TRY(run(shape, perturb(inputs, seed, 1, -1)));
  for (std::vector<double>& output : sizes) {
    for (double& value : output) {
      value = finiteOr0(std::abs(value));
    }
  }
  return sizes;
}

}  // namespace hone::kernel
