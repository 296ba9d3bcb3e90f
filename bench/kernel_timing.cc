// Compares the kernel judge's times with a plain loop over the same function in this process. The
// judge freezes the kernel's process between calls and gives every call new inputs; neither may
// change the time of a kernel.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <span>

#include "base/clock.h"
#include "base/file.h"
#include "kernel/judge/input/timed_inputs.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::int64_t kRounds = 15;
constexpr std::int64_t kQuickRounds = 3;
constexpr double kMinSampleNs = 4e6;
constexpr std::size_t kMinCalls = 5;
constexpr std::size_t kInputs = 2;
constexpr std::align_val_t kPage{4096};  // the judge's tensors begin at a page, too
constexpr double kMaxDifference = 0.03;

/// A kernel of two inputs X, W and one output Y over the sizes M and N, and its reference.
struct TimedKernel {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::string weights;  ///< shape of W
  std::string body;     ///< uses T for the element type
};

std::vector<TimedKernel> timedKernels() {
  const std::string eachRow = "for (std::int64_t i = 0; i < M; ++i) { const T* x = X + i * N; ";
  return {
      {"add", 512, 1024, "MxN", "for (std::int64_t i = 0; i < M * N; ++i) Y[i] = X[i] + W[i];"},
      {"rows in L1", 64, 512, "N",
       "for (int r = 0; r < 40; ++r) " + eachRow +
           "T* y = Y + i * N; for (std::int64_t j = 0; j < N; ++j) y[j] = x[j] * W[j]; }"},
      {"matmul", 160, 160, "NxN",
       "for (std::int64_t i = 0; i < M; ++i) { T* y = Y + i * N; for (std::int64_t j = 0; j < N; "
       "++j) y[j] = 0; for (std::int64_t k = 0; k < N; ++k) for (std::int64_t j = 0; j < N; ++j) "
       "y[j] += X[i * N + k] * W[k * N + j]; }"},
      {"softmax", 128, 1024, "N",
       eachRow +
           "T* y = Y + i * N; T most = x[0], sum = 0; for (std::int64_t j = 0; j < N; ++j) most = "
           "std::max(most, x[j]); for (std::int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] "
           "- most); for (std::int64_t j = 0; j < N; ++j) y[j] /= sum; }"},
      {"transpose", 1024, 512, "N",
       "for (std::int64_t i = 0; i < M; ++i) for (std::int64_t j = 0; j < N; ++j) Y[j * M + i] = "
       "X[i * N + j];"},
  };
}

std::string sourceOf(const TimedKernel& kernel, const char* function, const char* type) {
  return fmt::format(
      "#include <algorithm>\n#include <cmath>\n#include <cstdint>\nusing T = {1};\nextern \"C\" "
      "void "
      "{0}(const {1}* X, const {1}* W, {1}* Y, std::int64_t M, std::int64_t N) {{\n{2}\n}}\n",
      function, type, kernel.body);
}

std::string referenceOf(const TimedKernel& kernel) {
  return fmt::format(
             "// hone: sizes M={} N={}\n// hone: input X f32 MxN\n// hone: input W f32 {}\n"
             "// hone: output Y f32 MxN\n",
             kernel.rows, kernel.columns, kernel.weights) +
         sourceOf(kernel, "reference", "double");
}

/// The kernel's function in this process, with its tensors.
class PlainLoop {
 public:
  using Function = void (*)(const float*, const float*, float*, std::int64_t, std::int64_t);

  [[nodiscard]] static Result<PlainLoop> open(const TimedKernel& kernel, const kernel::Shape& shape,
                                              kernel::CppBuilder& builder) {
    const auto built = HONE_TRY(builder.build(sourceOf(kernel, "kernel", "float"), {}));
    void* library = built.ok() ? ::dlopen(built.library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    void* function = library != nullptr ? ::dlsym(library, "kernel") : nullptr;
    if (function == nullptr) {
      return machineError("cannot load {}: {}", kernel.name, built.message);
    }
    return PlainLoop(kernel, shape, reinterpret_cast<Function>(function));
  }

  /// Returns the median CPU time of a call. Each call has new inputs, made as the judge makes them:
  /// the values matter, because exponentials of large ones are denormal.
  [[nodiscard]] Result<double> time(const kernel::TimedInputs& inputs) {
    std::vector<double> times;
    double totalNs = 0;
    while (times.size() < kMinCalls || totalNs < kMinSampleNs) {
      const auto key = HONE_TRY(kernel::InputKey::draw());
      for (std::size_t i = 0; i < kInputs; ++i) {
        inputs.write(key, i, std::as_writable_bytes(std::span(memory_[i].get(), counts_[i])));
      }
      const std::int64_t begin = threadCpuNs();
      run();
      times.push_back(static_cast<double>(threadCpuNs() - begin));
      totalNs += times.back();
    }
    return stats::median(times);
  }

 private:
  struct Free {
    void operator()(float* memory) const { ::operator delete(memory, kPage); }
  };
  using Memory = std::unique_ptr<float[], Free>;  // NOLINT(*-avoid-c-arrays)

  PlainLoop(const TimedKernel& kernel, const kernel::Shape& shape, Function function)
      : function_(function), rows_(kernel.rows), columns_(kernel.columns) {
    const auto allocate = [&](std::size_t index, const kernel::Argument& argument) {
      counts_[index] = static_cast<std::size_t>(argument.type.count());
      memory_[index].reset(static_cast<float*>(::operator new(argument.type.bytes(), kPage)));
    };
    allocate(0, shape.inputs[0]);
    allocate(1, shape.inputs[1]);
    allocate(2, shape.outputs[0]);
  }
  void run() { function_(memory_[0].get(), memory_[1].get(), memory_[2].get(), rows_, columns_); }

  Function function_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::array<Memory, 3> memory_;
  std::array<std::size_t, 3> counts_{};
};

struct Tally {
  std::vector<double> judged;
  std::vector<double> plain;
  std::vector<double> ratios;
  double overheadNs = 0;
};

Result<Tally> compare(const TimedKernel& kernel, std::int64_t rounds,
                      const std::filesystem::path& folder) {
  const auto file = folder / "task.reference.cc";
  HONE_CHECK(writeFile(file, referenceOf(kernel)));
  kernel::JudgeOptions options;
  options.folder = folder / "judge";
  const kernel::Task task = HONE_TRY(kernel::readTask(file, options));
  const kernel::TimedInputs inputs(task.shape, {});
  auto judge = HONE_TRY(kernel::Judge::open(task, options));
  auto builder = HONE_TRY(kernel::CppBuilder::open(folder / "plain", options.limits));
  PlainLoop loop = HONE_TRY(PlainLoop::open(kernel, task.shape, builder));
  const kernel::Source source{
      kernel::Language::cpp, kernel.name, sourceOf(kernel, "kernel", "float"), {}};
  Tally tally;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto judged = HONE_TRY(judge.measure({&source}, model::Stage::race, round, 0));
    if (!judged.ok()) {
      return machineError("{}: {}", kernel.name, judged.message);
    }
    std::vector<double> times;
    std::ranges::transform(judged.samples, std::back_inserter(times), &model::Sample::cpuNs);
    tally.judged.push_back(stats::median(times));
    tally.plain.push_back(HONE_TRY(loop.time(inputs)));
    tally.ratios.push_back(tally.judged.back() / tally.plain.back());
    tally.overheadNs = judged.facts.overheadNs.value_or(0);
  }
  return tally;
}

/// Returns half of the distance between the quartiles.
double spread(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2;
}

Result<void> measure(const Options& options) {
  const std::int64_t rounds = options.repeats > 0 ? options.repeats
                              : options.quick     ? kQuickRounds
                                                  : kRounds;
  report::Table table({{"kernel", report::Align::left},
                       {"judge µs", report::Align::right},
                       {"plain loop µs", report::Align::right},
                       {"judge / plain", report::Align::right},
                       {"noise", report::Align::right}});
  double worst = 0;
  double overheadNs = 0;
  for (const TimedKernel& kernel : timedKernels()) {
    const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-bench"));
    const Tally tally = HONE_TRY(compare(kernel, rounds, folder.path()));
    const double ratio = stats::median(tally.ratios);
    worst = std::max(worst, std::abs(ratio - 1));
    overheadNs = tally.overheadNs;
    table.add({kernel.name, fmt::format("{:.1f}", stats::median(tally.judged) / 1e3),
               fmt::format("{:.1f}", stats::median(tally.plain) / 1e3),
               fmt::format("{:.3f}", ratio), fmt::format("{:.3f}", spread(tally.ratios))});
  }
  fmt::print("{}", table.text());
  fmt::print("overhead of a call: {:.1f} µs of CPU time, subtracted\n", overheadNs / 1e3);
  fmt::print("largest difference {:.1f} %; aim 3 %: {}\n", 100 * worst,
             worst <= kMaxDifference ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("kernel_timing", argc, argv, hone::bench::measure);
}
