#include "kernel/propose/analysis/analysis.h"

#include <fmt/format.h>

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

/// The least time by both limits; 0 where nobody knows.
double rooflineOf(const Shape& shape, const Measured& measured) {
  const double compute = measured.peakGflops > 0 ? shape.flops / measured.peakGflops : 0;
  const double memory = measured.peakGbps > 0 ? shape.bytes() / measured.peakGbps : 0;
  return std::max(compute, memory);
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

/// A tenth of the roofline is what a plain loop reaches, and hardly a kernel gets beyond 0.6 of it.
Category categoryByShare(double share) {
  if (share < 0.1) {
    return Category::critical;
  }
  if (share < 0.3) {
    return Category::slow;
  }
  return share < 0.6 ? Category::moderate : Category::good;
}

Category categoryOf(const Analysis& analysis, const Measured& measured) {
  if (measured.pytorchNs > 0 && measured.kernelNs > 0) {
    return categoryBySpeedup(measured.pytorchNs / measured.kernelNs);
  }
  return analysis.share > 0 ? categoryByShare(analysis.share) : Category::moderate;
}

std::vector<std::string> strategiesOf(Category category) {
  switch (category) {
    case Category::critical:
      return {"Memory bandwidth first: read and write in the order of memory, and everything once.",
              "Keep what is used again close by: shared memory, packed panels, registers.",
              "Change the algorithm for locality: tiles, fusion, one pass in the place of several.",
              "Mixed precision where the error bound allows it."};
    case Category::slow:
      return {"Tune the blocks: how many rows, columns and threads work together.",
              "Let neighbouring threads or lanes touch neighbouring elements.",
              "Tile for registers, so that each load feeds several products.",
              "Balance the work between blocks and threads."};
    case Category::moderate:
      return {"Pipeline: load the next tile while this one is computed.",
              "Use what the architecture has: wide vectors, fused multiply-add, tensor cores.",
              "Tune block sizes and thread counts in small steps.",
              "Instruction level: unrolling, more accumulators, fewer divisions."};
    case Category::good:
      return {"Fine steps only: knobs one and two at a time, from the best.",
              "Several levels of tiles, one for each cache.",
              "Features of this very machine: prefetching, the widest vectors, flags.",
              "Look at the distance to the roofline: little may be left."};
  }
  return {};
}

/// What the roofline says: how much is computed for each byte, and which of the two is the limit.
void addIntensity(const Shape& shape, const Measured& measured, std::vector<Finding>& findings) {
  const double bytes = shape.bytes();
  if (shape.flops <= 0 || bytes <= 0 || measured.peakGflops <= 0 || measured.peakGbps <= 0) {
    return;
  }
  const double computeMs = shape.flops / measured.peakGflops / 1e6;
  const double memoryMs = bytes / measured.peakGbps / 1e6;
  const bool memory = memoryMs > computeMs;
  findings.push_back(
      {memory ? Side::memory : Side::computation,
       memory ? "the memory is the limit" : "computing is the limit",
       fmt::format("{:.1f} operations a byte: {:.3f} ms to compute, {:.3f} ms to move",
                   shape.flops / bytes, computeMs, memoryMs),
       memory ? "coalescing" : "vectorization", 0.1});
}

void addRemarks(const Judged& judged, std::vector<Finding>& findings) {
  const auto remarks = judged.facts.find("remarks");
  if (remarks == judged.facts.end() || !remarks->is_array()) {
    return;
  }
  for (const auto& remark : *remarks) {
    const std::string text = remark.is_string() ? remark.get<std::string>() : "";
    if (text.contains("not vectorized") || text.contains("couldn't vectorize")) {
      findings.push_back(
          {Side::computation, "the compiler could not use vectors", text, "compile-flags", 0.25});
      return;
    }
  }
}

std::optional<double> factOf(const Judged& judged, const char* name) {
  const auto found = judged.facts.find(name);
  return found != judged.facts.end() && found->is_number() ? std::optional(found->get<double>())
                                                           : std::nullopt;
}

/// "64 threads a block, 160 registers, 0 bytes spilled, 2048 bytes of shared memory"
std::string compiledText(const Judged& judged) {
  constexpr std::array<std::pair<const char*, std::string_view>, 4> kFacts = {
      {{"threads", "threads a block"},
       {"registers", "registers"},
       {"spills", "bytes spilled"},
       {"shared_memory", "bytes of shared memory"}}};
  std::vector<std::string> parts;
  for (const auto& [name, meaning] : kFacts) {
    if (const auto value = factOf(judged, name)) {
      parts.push_back(fmt::format("{:.0f} {}", *value, meaning));
    }
  }
  return join(parts, ", ");
}

void addRegisters(const Judged& judged, std::vector<Finding>& findings) {
  const double spills = factOf(judged, "spills").value_or(0);
  const double registers = factOf(judged, "registers").value_or(0);
  if (spills > 0) {
    findings.push_back({Side::computation, "more values than registers",
                        fmt::format("{:.0f} bytes spilled, {:.0f} registers", spills, registers),
                        "tiling", 0.3});
  }
  // A multiprocessor has 65,536 of them for up to 64 warps of 32 threads; a quarter hides latency.
  constexpr double kRegisters = 65536;
  constexpr double kWarp = 32;
  constexpr double kFewWarps = 16;
  const double warps = registers > 0 ? std::floor(kRegisters / (kWarp * registers)) : kFewWarps;
  if (warps < kFewWarps) {
    findings.push_back(
        {Side::parallelism, "so many registers that few warps run side by side",
         fmt::format("{:.0f} registers a thread: {:.0f} of 64 warps", registers, warps), "threads",
         0.2});
  }
}

/// What the processor counted in a call, and what it says: one that gets less than one instruction
/// done in a cycle waits.
std::string addCounters(const Shape& shape, const Judged& judged, std::vector<Finding>& findings) {
  const auto found = judged.facts.find("counters");
  if (found == judged.facts.end() || !found->is_object()) {
    return "";
  }
  const double cycles = std::max(found->value("cycles", 0.0), 1.0);
  const double perCycle = found->value("instructions", 0.0) / cycles;
  const double misses = found->value("cache_misses", 0.0);
  std::string text =
      fmt::format("{:.2f} instructions a cycle, {:.3g} cache misses", perCycle, misses);
  if (shape.flops > 0) {
    text += fmt::format(" ({:.2g} a flop)", misses / shape.flops);
  }
  // A miss takes about two hundred cycles.
  constexpr double kCyclesOfMiss = 200;
  if (perCycle < 1) {
    const bool memory = misses * kCyclesOfMiss > cycles / 4;
    findings.push_back({memory ? Side::memory : Side::computation,
                        fmt::format("the processor waits for {}", memory ? "memory" : "results"),
                        text, memory ? "tiling" : "register-tile", 0.3 * (1 - perCycle)});
  }
  return text;
}

void addThreads(const Source& source, const Measured& measured, std::vector<Finding>& findings) {
  if (measured.threads > 1 && source.language == Language::cpp &&
      !source.text.contains("#pragma omp parallel")) {
    findings.push_back({Side::parallelism, "no loop runs on threads",
                        fmt::format("{} threads may be used", measured.threads), "threads",
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
    out += fmt::format("; {}", counters.empty() ? "no counters here" : counters);
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

model::KernelAnalysis recordOf(const Analysis& analysis) {
  model::KernelAnalysis record{
      .category = std::string(nameOf(analysis.category)),
      .rooflineNs = analysis.rooflineNs,
      .rooflineShare = analysis.share,
      .timed = analysis.timed,
      .compiled = analysis.compiled,
      .counters = analysis.counters.empty() ? "no counters here" : analysis.counters,
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

Analysis analyse(const Task& task, const Source& source, const Judged& judged,
                 const Measured& measured) {
  Analysis analysis;
  analysis.rooflineNs = rooflineOf(task.shape, measured);
  analysis.share = measured.kernelNs > 0 ? analysis.rooflineNs / measured.kernelNs : 0;
  analysis.category = categoryOf(analysis, measured);
  analysis.strategies = strategiesOf(analysis.category);
  analysis.timed = judged.facts.value("timed", true);
  analysis.compiled = compiledText(judged);
  analysis.findings =
      source.language == Language::cpp ? cppFindings(task, source) : tileLangFindings(source);
  addIntensity(task.shape, measured, analysis.findings);
  addRemarks(judged, analysis.findings);
  addRegisters(judged, analysis.findings);
  analysis.counters = addCounters(task.shape, judged, analysis.findings);
  addThreads(source, measured, analysis.findings);
  // What is near the roofline has little left to win, whatever its source looks like.
  const double left = std::clamp(1.0 - analysis.share, 0.05, 1.0);
  for (Finding& finding : analysis.findings) {
    finding.weight *= left;
  }
  std::ranges::stable_sort(analysis.findings,
                           [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  return analysis;
}

}  // namespace hone::kernel
