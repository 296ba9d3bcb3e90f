#include "kernel/judge/machine_peak.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernel/judge/input_values.h"
#include "kernel/judge/subject.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRounds = 1'000'000;
constexpr std::int64_t kFloats = 4096;
constexpr int kSamples = 8;

/// Ten chains keep both units of a core busy through the latency of a multiply-add. The first
/// output says how many flops or bytes a round has.
constexpr const char* kFlops = R"(#include <cstdint>
#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
typedef float Vector __attribute__((vector_size(kBytes)));
extern "C" void kernel(const float* in, float* out, std::int64_t rounds) {
  constexpr int kChains = 10;
  const Vector a = Vector{} + in[0] * 0.0f + 0.999f;
  const Vector b = Vector{} + in[1] * 0.0f + 0.001f;
  Vector chains[kChains];
  for (int c = 0; c < kChains; ++c) chains[c] = Vector{} + static_cast<float>(c);
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 10
    for (int c = 0; c < kChains; ++c) chains[c] = chains[c] * a + b;
  }
  Vector sum = chains[0];
  for (int c = 1; c < kChains; ++c) sum += chains[c];
  out[0] = 2.0f * kChains * (kBytes / 4);
  for (int i = 0; i < kBytes / 4; ++i) out[1 + i] = sum[i];
}
)";

constexpr const char* kLoads = R"(#include <cstdint>
#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
typedef std::int32_t Vector __attribute__((vector_size(kBytes), aligned(4), may_alias));
extern "C" void kernel(const float* in, float* out, std::int64_t rounds) {
  constexpr int kVectors = 4096 * 4 / kBytes;
  const Vector* data = reinterpret_cast<const Vector*>(in);
  Vector a{}, b{}, c{}, d{};
  const std::int64_t passes = rounds * 4 / kVectors + 1;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (int i = 0; i < kVectors; i += 4) {
      a |= data[i];
      b |= data[i + 1];
      c |= data[i + 2];
      d |= data[i + 3];
    }
    asm volatile("" ::: "memory");
  }
  const Vector all = a | b | c | d;
  out[0] = static_cast<float>(passes * 4096 * 4) / static_cast<float>(rounds);
  for (int i = 0; i < kBytes / 4; ++i) out[1 + i] = static_cast<float>(all[i]);
}
)";

Shape tinyShape() {
  Shape shape;
  shape.sizes = {{"rounds", kRounds}};
  shape.inputs = {{"in", {{kFloats}, model::ElementType::f32}}};
  shape.outputs = {{"out", {{32}, model::ElementType::f32}}};
  return shape;
}

Result<Runnable> built(const JudgeOptions& options, CppBuilder& builder, const char* text) {
  const std::array<std::string, 1> flags = {"-O3"};
  const CppBuilt made = HONE_TRY(builder.build(text, flags));
  if (!made.ok()) {
    return machineError("the peak of this machine cannot be measured: {}", made.message);
  }
  return cppRunnable(options, made.library, "kernel");
}

}  // namespace

Result<MachinePeak> MachinePeak::open(const JudgeOptions& options,
                                      const std::filesystem::path& tensorFolder) {
  auto tensors =
      HONE_TRY(CallTensors::create(tensorFolder, "peak", tinyShape(), Placement::begin, false));
  return MachinePeak(options, std::move(tensors));
}

/// The time of one round over what it does: ns a flop or a byte.
Result<double> MachinePeak::fastestNs(const Runnable& runnable) {
  Judged judged;
  const std::array<const CallTensors*, 1> all = {&tensors_};
  auto subject = HONE_TRY(Subject::start(runnable, all, options_.limits.wall, judged));
  Random random(1);
  const std::vector<verify::Tensor> inputs = makeInputs(tinyShape(), ValueKind::positive, 1);
  tensors_.fill(inputs, random);
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; subject && i < kSamples; ++i) {
    const auto timed = HONE_TRY(subject->time(tensors_, 1, 1, 1, options_.limits.wall, judged));
    if (!timed) {
      break;
    }
    const double amount = verify::numbersOf<double>(tensors_.output(0)).front();
    fastest = std::min(fastest, timed->cpuNs / (static_cast<double>(kRounds) * amount));
  }
  if (!judged.ok()) {
    return machineError("the peak of this machine cannot be measured: {}", judged.message);
  }
  return fastest;
}

Result<void> MachinePeak::measure(CppBuilder& builder) {
  const Runnable flops = HONE_TRY(built(options_, builder, kFlops));
  const Runnable loads = HONE_TRY(built(options_, builder, kLoads));
  gflops_ = std::max(gflops_, 1 / HONE_TRY(fastestNs(flops)));
  gbps_ = std::max(gbps_, 1 / HONE_TRY(fastestNs(loads)));
  return {};
}

Result<double> MachinePeak::leastNs(const Shape& shape, int threads, CppBuilder& builder) {
  if (gflops_ == 0) {
    HONE_CHECK(measure(builder));
  }
  double outputs = 0;
  for (const Argument& output : shape.outputs) {
    outputs += static_cast<double>(output.type.bytes());
  }
  return std::max(shape.flops / gflops_, outputs / gbps_) / threads;
}

}  // namespace hone::kernel
