#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/judge/judged.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"
#include "model/result/summary/kernel_turn.h"

namespace hone::kernel {

/// Where time goes: the seed's four sides.
enum class Side : std::uint8_t { memory, computation, parallelism, algorithm };

[[nodiscard]] std::string_view nameOf(Side side);

/// One thing that costs time, with the facts that say so and the technique that answers it.
struct Finding {
  Side side = Side::memory;
  std::string what;       ///< "the inner loop walks B by its columns"
  std::string evidence;   ///< "line 7: B[k * N + j] in the loop over k: a stride of 1,920 bytes"
  std::string technique;  ///< a key of the library: "loop-order", "packing", "register-tile", …
  double weight = 0;      ///< how much of the time may be won, 0 to 1: proposers go by it

  bool operator==(const Finding&) const = default;
};

/// By speedup against PyTorch, as the seed has it: < 0.5, 0.5–0.8, 0.8–1.2, > 1.2; without PyTorch
/// by the share of the roofline.
enum class Category : std::uint8_t { critical, slow, moderate, good };

[[nodiscard]] std::string_view nameOf(Category category);

/// What is known when a kernel is analysed.
struct Measured {
  double kernelNs = 0;
  double pytorchNs = 0;   ///< 0: not measured
  double peakGflops = 0;  ///< the roofline of this machine, with the threads that are used
  double peakGbps = 0;
  int threads = 1;
};

struct Analysis {
  Category category = Category::moderate;
  double rooflineNs = 0;                ///< the least time that the machine could need
  double share = 0;                     ///< of the roofline that the kernel reaches
  bool timed = true;                    ///< false where its device is not here
  std::string compiled;                 ///< what the compiler of a GPU said of it; "" for others
  std::vector<Finding> findings;        ///< the weightiest first
  std::vector<std::string> strategies;  ///< of the category, as sentences
  std::string counters;                 ///< what the processor counted; "" where it did not

  /// For prompts and for the terminal.
  [[nodiscard]] std::string text() const;
};

/// As the store keeps it.
[[nodiscard]] model::KernelAnalysis recordOf(const Analysis& analysis);

/// From facts alone: the task's sizes, the times, what the compiler said (in judged.facts), and the
/// source.
[[nodiscard]] Analysis analyse(const Task& task, const Source& source, const Judged& judged,
                               const Measured& measured);

}  // namespace hone::kernel
