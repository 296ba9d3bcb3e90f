#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/judge/judge_result.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"
#include "model/result/summary/kernel_turn.h"

namespace hone::kernel {

/// The kind of cost that a finding belongs to.
enum class Side : std::uint8_t { memory, computation, parallelism, algorithm };

[[nodiscard]] std::string_view nameOf(Side side);

/// A bottleneck with its evidence and the technique that addresses it.
struct Finding {
  Side side = Side::memory;
  std::string what;       ///< "strided access to B in the inner loop over k"
  std::string evidence;   ///< "line 7: B[k * N + j] in the loop over k: stride of 1,920 bytes"
  std::string technique;  ///< key of the technique library: "loop-order", "packing", …
  double weight = 0;      ///< share of the time that may be saved, 0 to 1; ranks proposals

  bool operator==(const Finding&) const = default;
};

/// Classifies a kernel by its speedup over PyTorch: < 0.5, 0.5–0.8, 0.8–1.2, > 1.2. Without
/// PyTorch, by its share of the roofline.
enum class Category : std::uint8_t { critical, slow, moderate, good };

[[nodiscard]] std::string_view nameOf(Category category);

/// Bandwidth of data that fits a cache of this machine.
struct CacheLevel {
  double bytes = 0;
  double gbps = 0;

  bool operator==(const CacheLevel&) const = default;
};

/// The measurements of a kernel and its machine.
struct Measured {
  double kernelNs = 0;
  double pytorchNs = 0;                 ///< 0: not measured
  double peakGflops = 0;                ///< of this machine with the threads in use
  double peakGbps = 0;                  ///< of main memory
  std::vector<CacheLevel> caches = {};  ///< the first level first
  int threads = 1;
};

struct Analysis {
  Category category = Category::moderate;
  double rooflineNs = 0;                ///< lower bound of the time on this machine; 0: unknown
  double share = 0;                     ///< of the roofline that the kernel reaches, 0 to 1
  bool timed = true;                    ///< false if its device is missing
  std::string compiled;                 ///< facts of the GPU compiler; "" for other kernels
  std::vector<Finding> findings;        ///< largest weight first
  std::vector<std::string> strategies;  ///< general advice for the category
  std::string counters;                 ///< performance counters; "" if not available

  /// Returns the analysis as text for prompts and the terminal.
  [[nodiscard]] std::string text() const;
};

/// Converts an analysis to its stored form.
[[nodiscard]] model::KernelAnalysis toRecord(const Analysis& analysis);

/// Analyses a kernel based on the task's sizes, the times, the compiler's output in judged.facts,
/// and the source.
[[nodiscard]] Analysis analyze(const Task& task, const Source& source, const JudgeResult& judged,
                               const Measured& measured);

}  // namespace hone::kernel
