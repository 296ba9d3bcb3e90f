#include "kernel/judge/timing/machine_peak.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/machine.h"
#include "kernel/judge/execution/running_kernel.h"
#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRounds = 1'000'000;
constexpr std::int64_t kFloats = 4096;
constexpr int kSamples = 8;

/// Head of kernels that use vectors: `kBytes` is the width of a vector of this machine.
constexpr const char* kVectorWidth = R"(#include <cstdint>
#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
)";

/// Ten chains hide the latency of a multiply-add on both units of a core. The first output is the
/// number of flops or bytes per round.
constexpr const char* kFlops = R"(typedef float Vector __attribute__((vector_size(kBytes)));
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

constexpr const char* kLoads =
    R"(typedef std::int32_t Vector __attribute__((vector_size(kBytes), aligned(4), may_alias));
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

/// Stores past the caches, or with memset; the faster of the two counts.
constexpr const char* kStores = R"(#include <cstdint>
#include <cstring>
#ifdef __AVX__
#include <immintrin.h>
#endif
extern "C" void kernel(const float* in, float* out, std::int64_t floats, std::int64_t streams) {
#ifdef __AVX__
  if (streams != 0) {
    const __m256 value = _mm256_set1_ps(in[0]);
    for (std::int64_t i = 0; i + 8 <= floats; i += 8) _mm256_stream_ps(out + i, value);
    _mm_sfence();
    return;
  }
#endif
  std::memset(out, static_cast<int>(in[0]), static_cast<std::size_t>(floats) * sizeof(float));
}
)";
/// Factor on the measured memory bandwidth: other programs share the memory and may slow it down.
constexpr double kMemoryTolerance = 2;
constexpr double kBytesPerFloat = 4;

double lastCacheBytes() {
  constexpr int kLast = 4;
  for (int level = kLast; level > 0; --level) {
    if (const auto bytes = dataCacheBytes(level)) {
      return static_cast<double>(*bytes);
    }
  }
  return 0;
}

Shape tinyShape() {
  Shape shape;
  shape.sizes = {{"rounds", kRounds}};
  shape.inputs = {{"in", {{kFloats}, model::ElementType::f32}}};
  shape.outputs = {{"out", {{32}, model::ElementType::f32}}};
  return shape;
}

Result<Runnable> buildRunnable(const JudgeOptions& options, CppBuilder& builder,
                               const std::string& text) {
  const std::array<std::string, 1> flags = {"-O3"};
  const CppBuilt made = HONE_TRY(builder.build(text, flags));
  if (!made.ok()) {
    return machineError("cannot measure the peak of this machine: {}", made.message);
  }
  return cppRunnable(options, made.library, "kernel");
}

}  // namespace

Result<MachinePeak> MachinePeak::open(const JudgeOptions& options,
                                      const std::filesystem::path& tensorFolder) {
  auto tensors =
      HONE_TRY(CallTensors::create(tensorFolder, "peak", tinyShape(), Placement::begin, false));
  return MachinePeak(options, tensorFolder, std::move(tensors));
}

MachinePeak::MachinePeak(JudgeOptions options, std::filesystem::path folder, CallTensors tensors)
    : options_(std::move(options)), folder_(std::move(folder)), tensors_(std::move(tensors)) {
  core_.cacheBytes = lastCacheBytes();
}

/// Returns the minimum time of a round per unit of its work: ns per flop or per byte.
Result<double> MachinePeak::fastestNs(const Runnable& runnable) {
  JudgeResult judged;
  const std::array<const CallTensors*, 1> all = {&tensors_};
  auto running = HONE_TRY(RunningKernel::start(runnable, all, options_.limits.wall, judged));
  Random random(1);
  const std::vector<verify::Tensor> inputs = makeInputs(tinyShape(), ValueKind::positive, 1);
  tensors_.fill(inputs, random);
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; running && i < kSamples; ++i) {
    const auto timed = HONE_TRY(running->time(tensors_, options_.limits.wall, judged));
    if (!timed) {
      break;
    }
    const double amount = verify::toNumbers<double>(tensors_.outputs()[0]).front();
    fastest = std::min(fastest, timed->cpuNs / (static_cast<double>(kRounds) * amount));
  }
  if (!judged.ok()) {
    return machineError("cannot measure the peak of this machine: {}", judged.message);
  }
  return fastest;
}

Result<void> MachinePeak::measure(CppBuilder& builder) {
  const Runnable flops =
      HONE_TRY(buildRunnable(options_, builder, std::string(kVectorWidth) + kFlops));
  const Runnable loads =
      HONE_TRY(buildRunnable(options_, builder, std::string(kVectorWidth) + kLoads));
  core_.gflops = std::max(core_.gflops, 1 / HONE_TRY(fastestNs(flops)));
  core_.gbps = std::max(core_.gbps, 1 / HONE_TRY(fastestNs(loads)));
  return large_ ? measureMemory(builder) : Result<void>();
}

Result<void> MachinePeak::measureMemory(CppBuilder& builder) {
  const auto floats = static_cast<std::int64_t>(2 * core_.cacheBytes / kBytesPerFloat);
  JudgeResult judged;
  for (const std::int64_t streams : {0, 1}) {
    Shape shape;
    shape.sizes = {{"floats", floats}, {"streams", streams}};
    shape.inputs = {{"in", {{16}, model::ElementType::f32}}};
    shape.outputs = {{"out", {{floats}, model::ElementType::f32}}};
    const Runnable runnable = HONE_TRY(buildRunnable(options_, builder, kStores));
    const auto tensors =
        HONE_TRY(CallTensors::create(folder_, "memory", shape, Placement::begin, false));
    const std::array<const CallTensors*, 1> all = {&tensors};
    auto running = HONE_TRY(RunningKernel::start(runnable, all, options_.limits.wall, judged));
    for (int i = 0; running && i < kSamples; ++i) {
      const auto timed = HONE_TRY(running->time(tensors, options_.limits.wall, judged));
      if (!timed) {
        break;
      }
      const double gbps = kBytesPerFloat * static_cast<double>(floats) / timed->cpuNs;
      core_.memoryGbps = std::max(core_.memoryGbps, kMemoryTolerance * gbps);
    }
  }
  return judged.ok() ? Result<void>()
                     : machineError("cannot measure the memory bandwidth of this machine: {}",
                                    judged.message);
}

double minNsAtPeak(double flops, double outputBytes, const CorePeak& peak) {
  const double kept = peak.memoryGbps > 0 ? std::min(outputBytes, peak.cacheBytes) : outputBytes;
  const double writeNs =
      kept / peak.gbps + (kept < outputBytes ? (outputBytes - kept) / peak.memoryGbps : 0);
  return std::max(flops / peak.gflops, writeNs);
}

Result<double> MachinePeak::minCallNs(const Shape& shape, int threads, CppBuilder& builder) {
  double outputs = 0;
  for (const Argument& output : shape.outputs) {
    outputs += static_cast<double>(output.type.bytes());
  }
  const bool larger = core_.cacheBytes > 0 && outputs > core_.cacheBytes;
  if (core_.gflops == 0 || (larger && !large_)) {
    large_ = large_ || larger;
    HONE_CHECK(measure(builder));
  }
  return minNsAtPeak(shape.flops, outputs, core_) / threads;
}

}  // namespace hone::kernel
