#include "kernel/propose/analysis/analysis.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text/text.h"
#include "kernel/propose/analysis/analysis_cpp.h"
#include "kernel/propose/analysis/analysis_tilelang.h"

namespace hone::kernel {
namespace {

/// Returns the minimum time in ns to move the data: as much as possible stays in the caches of
/// earlier calls. 0 if unknown.
double moveTime(double bytes, const Measured& measured) {
  if (measured.peakGbps <= 0) {
    return 0;
  }
  double ns = 0;
  double cached = 0;
  for (const CacheLevel& cache : measured.caches) {
    const double part = std::min(cache.bytes, bytes) - cached;
    if (part > 0) {
      ns += part / std::max(cache.gbps, measured.peakGbps);
      cached += part;
    }
  }
  return ns + (bytes - cached) / measured.peakGbps;
}

/// Returns the lower bound of the time in ns; 0 if unknown. A kernel that is faster than the
/// machine's measured rates is itself the measurement of what the machine attains.
double rooflineTime(const Shape& shape, const Measured& measured) {
  const double compute = measured.peakGflops > 0 ? shape.flops / measured.peakGflops : 0;
  const double bound = std::max(compute, moveTime(shape.bytes(), measured));
  return measured.kernelNs > 0 ? std::min(bound, measured.kernelNs) : bound;
}

Category categoryBySpeedup(double speedup) {
  if (speedup < 0.5) {
    return Category::critical;
  }
  if (speedup < 0.8) {
    return Category::slow;
  }
  return speedup <= 1.2 ? Category::moderate : Category::good;
}

/// Classifies by the share of the roofline: a plain loop reaches about 0.1, few kernels exceed 0.6.
Category categoryByShare(double share) {
  if (share < 0.1) {
    return Category::critical;
  }
  if (share < 0.3) {
    return Category::slow;
  }
  return share < 0.6 ? Category::moderate : Category::good;
}

Category chooseCategory(const Analysis& analysis, const Measured& measured) {
  if (measured.pytorchNs > 0 && measured.kernelNs > 0) {
    return categoryBySpeedup(measured.pytorchNs / measured.kernelNs);
  }
  return analysis.share > 0 ? categoryByShare(analysis.share) : Category::moderate;
}

std::vector<std::string> strategiesFor(Category category) {
  switch (category) {
    case Category::critical:
      return {
          "Optimize memory bandwidth first: access memory contiguously and touch each element "
          "once.",
          "Keep reused data close: shared memory, packed panels, registers.",
          "Change the algorithm for locality: tiling, fusion, one pass instead of several.",
          "Use mixed precision where the error bound allows it."};
    case Category::slow:
      return {"Tune the block shape: rows, columns and threads per block.",
              "Let adjacent threads or lanes access adjacent elements.",
              "Tile for registers, so that each load feeds several products.",
              "Balance the work between blocks and threads."};
    case Category::moderate:
      return {
          "Pipeline: load the next tile while computing the current one.",
          "Use the features of the architecture: wide vectors, fused multiply-add, tensor cores.",
          "Tune block sizes and thread counts in small steps.",
          "Optimize instructions: unrolling, more accumulators, fewer divisions."};
    case Category::good:
      return {"Make small steps only: change one or two knobs of the best kernel at a time.",
              "Use several levels of tiling, one per cache level.",
              "Use features of this machine: prefetching, the widest vectors, compiler flags.",
              "Check the distance to the roofline: there may be little left to gain."};
  }
  return {};
}

/// Adds the arithmetic intensity and whether memory or computation is the limit.
void addIntensity(const Shape& shape, const Measured& measured, std::vector<Finding>& findings) {
  const double bytes = shape.bytes();
  if (shape.flops <= 0 || bytes <= 0 || measured.peakGflops <= 0 || measured.peakGbps <= 0) {
    return;
  }
  const double computeMs = shape.flops / measured.peakGflops / 1e6;
  const double memoryMs = moveTime(bytes, measured) / 1e6;
  const bool memory = memoryMs > computeMs;
  findings.push_back(
      {memory ? Side::memory : Side::computation,
       memory ? "the kernel is memory-bound" : "the kernel is compute-bound",
       fmt::format("{:.1f} operations per byte: {:.3f} ms to compute, {:.3f} ms to move the data",
                   shape.flops / bytes, computeMs, memoryMs),
       memory ? "coalescing" : "vectorization", 0.1});
}

void addRemarks(const JudgeResult& judged, std::vector<Finding>& findings) {
  // The analysis reaches the author of the next kernel. A worker could add remarks, so only the
  // form of the compiler's remarks passes.
  static const RE2 kMissed(
      R"(line \d{1,6}: (?:couldn't vectorize loop|not vectorized)(?:: [a-z ,.'()-]{1,100})?)");
  for (const std::string& text : judged.facts.remarks.value_or(std::vector<std::string>())) {
    if (RE2::FullMatch(text, kMissed)) {
      findings.push_back({Side::computation, "the compiler could not vectorize a loop", text,
                          "compile-flags", 0.25});
      return;
    }
  }
}

/// Returns "64 threads per block, 160 registers, 0 bytes spilled, 2048 bytes of shared memory".
std::string compiledText(const JudgeResult& judged) {
  const GpuNumbers& gpu = judged.facts.gpu;
  std::vector<std::string> parts;
  for (const auto& [value, meaning] :
       {std::pair(gpu.threads, "threads per block"), std::pair(gpu.registers, "registers"),
        std::pair(gpu.spills, "bytes spilled"),
        std::pair(gpu.sharedMemory, "bytes of shared memory")}) {
    if (value) {
      parts.push_back(fmt::format("{:.0f} {}", *value, meaning));
    }
  }
  return join(parts, ", ");
}

void addRegisters(const JudgeResult& judged, std::vector<Finding>& findings) {
  const double spills = judged.facts.gpu.spills.value_or(0);
  const double registers = judged.facts.gpu.registers.value_or(0);
  if (spills > 0) {
    findings.push_back({Side::computation, "register spills",
                        fmt::format("{:.0f} bytes spilled, {:.0f} registers", spills, registers),
                        "tiling", 0.3});
  }
  // A multiprocessor has 65,536 registers for up to 64 warps of 32 threads. About a quarter of the
  // warps is enough to hide latency.
  constexpr double kRegisters = 65536;
  constexpr double kWarpSize = 32;
  constexpr double kMinWarps = 16;
  const double warps = registers > 0 ? std::floor(kRegisters / (kWarpSize * registers)) : kMinWarps;
  if (warps < kMinWarps) {
    findings.push_back(
        {Side::parallelism, "low occupancy due to register use",
         fmt::format("{:.0f} registers per thread: {:.0f} of 64 warps", registers, warps),
         "threads", 0.2});
  }
}

/// Returns the performance counters of a call as text. Adds a finding if the processor stalls: it
/// completes less than one instruction per cycle.
std::string addCounters(const Shape& shape, const JudgeResult& judged,
                        std::vector<Finding>& findings) {
  if (!judged.facts.counters) {
    return "";
  }
  const double cycles = std::max(judged.facts.counters->cycles, 1.0);
  const double perCycle = judged.facts.counters->instructions / cycles;
  const double misses = judged.facts.counters->cacheMisses;
  std::string text =
      fmt::format("{:.2f} instructions per cycle, {:.3g} cache misses", perCycle, misses);
  if (shape.flops > 0) {
    text += fmt::format(" ({:.2g} per flop)", misses / shape.flops);
  }
  constexpr double kCyclesPerMiss = 200;  // rough estimate
  if (perCycle < 1) {
    const bool memory = misses * kCyclesPerMiss > cycles / 4;
    findings.push_back(
        {memory ? Side::memory : Side::computation,
         fmt::format("the processor stalls on {}", memory ? "memory" : "dependences"), text,
         memory ? "tiling" : "register-tile", 0.3 * (1 - perCycle)});
  }
  return text;
}

void addThreads(const Source& source, const Measured& measured, std::vector<Finding>& findings) {
  if (measured.threads > 1 && source.language == Language::cpp &&
      !source.text.contains("#pragma omp parallel")) {
    findings.push_back({Side::parallelism, "the kernel uses only one thread",
                        fmt::format("{} threads are available", measured.threads), "threads",
                        1.0 - 1.0 / measured.threads});
  }
}

}  // namespace

std::string_view nameOf(Side side) {
  switch (side) {
    case Side::memory:
      return "memory";
    case Side::computation:
      return "computation";
    case Side::parallelism:
      return "parallelism";
    case Side::algorithm:
      return "algorithm";
  }
  return "";
}

std::string_view nameOf(Category category) {
  switch (category) {
    case Category::critical:
      return "critical";
    case Category::slow:
      return "slow";
    case Category::moderate:
      return "moderate";
    case Category::good:
      return "good";
  }
  return "";
}

std::string Analysis::text() const {
  std::string out = timed ? fmt::format("category: {}", nameOf(category)) : "not timed";
  if (rooflineNs > 0 && timed) {
    out += fmt::format("; {:.1f} % of the roofline ({:.3f} ms)", 100 * share, rooflineNs / 1e6);
  }
  if (!compiled.empty()) {
    out += fmt::format("; {}", compiled);
  }
  if (timed) {
    out += fmt::format("; {}", counters.empty() ? "no performance counters" : counters);
  }
  out += "\n";
  for (const Finding& finding : findings) {
    out += fmt::format("- {} ({:.0f} %): {}. {}. Technique: {}.\n", nameOf(finding.side),
                       100 * finding.weight, finding.what, finding.evidence, finding.technique);
  }
  for (const std::string& strategy : strategies) {
    out += fmt::format("* {}\n", strategy);
  }
  return out;
}

model::KernelAnalysis toRecord(const Analysis& analysis) {
  model::KernelAnalysis record{
      .category = std::string(nameOf(analysis.category)),
      .rooflineNs = analysis.rooflineNs,
      .rooflineShare = analysis.share,
      .timed = analysis.timed,
      .compiled = analysis.compiled,
      .counters = analysis.counters.empty() ? "no performance counters" : analysis.counters,
      .findings = {},
      .strategies = analysis.strategies};
  for (const Finding& finding : analysis.findings) {
    record.findings.push_back({.side = std::string(nameOf(finding.side)),
                               .what = finding.what,
                               .evidence = finding.evidence,
                               .technique = finding.technique,
                               .weight = finding.weight});
  }
  return record;
}

Analysis analyze(const Task& task, const Source& source, const JudgeResult& judged,
                 const Measured& measured) {
  Analysis analysis;
  analysis.rooflineNs = rooflineTime(task.shape, measured);
  analysis.share = measured.kernelNs > 0 ? analysis.rooflineNs / measured.kernelNs : 0;
  analysis.category = chooseCategory(analysis, measured);
  analysis.strategies = strategiesFor(analysis.category);
  analysis.timed = judged.facts.timed;
  analysis.compiled = compiledText(judged);
  analysis.findings =
      source.language == Language::cpp ? cppFindings(task, source) : tileLangFindings(source);
  if (analysis.timed) {  // otherwise the machine that runs the kernel is not the measured one
    addIntensity(task.shape, measured, analysis.findings);
  }
  addRemarks(judged, analysis.findings);
  addRegisters(judged, analysis.findings);
  analysis.counters = addCounters(task.shape, judged, analysis.findings);
  addThreads(source, measured, analysis.findings);
  // A kernel near the roofline has little left to gain, whatever its findings.
  const double remaining = std::clamp(1.0 - analysis.share, 0.05, 1.0);
  for (Finding& finding : analysis.findings) {
    finding.weight *= remaining;
  }
  std::ranges::stable_sort(analysis.findings,
                           [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  return analysis;
}

}  // namespace hone::kernel
