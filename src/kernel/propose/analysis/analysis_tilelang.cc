#include "kernel/propose/analysis/analysis_tilelang.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "kernel/propose/tilelang/tilelang_knobs.h"
#include "kernel/propose/tilelang/tilelang_loops.h"
#include "kernel/propose/tilelang/tilelang_program.h"

namespace hone::kernel {
namespace {

/// Returns the number of the first line with the word, counted from 1.
std::optional<std::size_t> lineWith(const std::vector<std::string>& lines, std::string_view word) {
  const auto found =
      std::ranges::find_if(lines, [&](const std::string& line) { return line.contains(word); });
  if (found == lines.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - lines.begin()) + 1;
}

std::string quoteLine(const std::vector<std::string>& lines, std::size_t line) {
  return fmt::format("line {}: {}", line, trim(lines[line - 1]));
}

void knobFindings(const std::vector<TextKnob>& knobs, const std::vector<std::string>& lines,
                  bool gpu, bool cpu, std::vector<Finding>& out) {
  for (const TextKnob& knob : knobs) {
    const auto number = parseInt(knob.value);
    const std::string evidence = quoteLine(lines, static_cast<std::size_t>(knob.line));
    if (knob.technique == "threads" && number && *number < 128) {
      out.push_back({Side::parallelism, fmt::format("few threads per block ({})", *number),
                     evidence, "threads", 0.5});
    } else if (knob.technique == "tiling" && number && *number < 64) {
      out.push_back({Side::memory, fmt::format("small tile ({}={})", knob.name, *number), evidence,
                     "tiling", 0.4});
    } else if (gpu && knob.technique == "pipelining" && number && *number < 2) {
      out.push_back(
          {Side::memory, "copies and computation do not overlap", evidence, "pipelining", 0.4});
    } else if (knob.name == "compile_flags") {
      out.push_back({Side::computation,
                     "sums and math functions are evaluated in order, one element at a time",
                     evidence, "compile-flags", 0.6});
    } else if (knob.name == "loop" && knob.value == "serial" && !cpu) {
      out.push_back({Side::computation, "a loop processes one element at a time", evidence,
                     "vectorization", 0.5});
    }
  }
}

void orderFindings(std::string_view text, const std::vector<std::string>& lines,
                   std::vector<Finding>& out) {
  for (const LoopPair& pair : loopPairs(text)) {
    if (pair.strided) {
      out.push_back({Side::memory,
                     fmt::format("strided access in the inner loop over {}", pair.inner),
                     quoteLine(lines, static_cast<std::size_t>(pair.line)), "loop-order", 0.7});
    }
  }
}

/// Returns the first line that adds a product to an element: a hand-written matrix product.
std::optional<std::size_t> handWrittenProduct(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t plus = lines[i].find("+=");
    if (plus != std::string::npos && lines[i].find('*', plus) != std::string::npos) {
      return i + 1;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> repeatedExp(const std::vector<std::string>& lines) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = lines[i].find("T.exp");
    if (begin == std::string::npos) {
      continue;
    }
    const std::string term = lines[i].substr(begin, lines[i].find(')', begin) - begin);
    if (std::ranges::find(seen, term) != seen.end()) {
      return i + 1;
    }
    seen.push_back(term);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> tileLangFindings(const Source& source) {
  std::string text = blankComments(source.text);
  // The findings below expect the usual name of the module.
  const std::string module = TileProgram(source.text).module();
  RE2::GlobalReplace(&text, fmt::format(R"(\b{})", RE2::QuoteMeta(module)), "T.");
  const std::vector<std::string> lines = splitAt(text, '\n');
  const auto kernel = lineWith(lines, "T.Kernel(");
  if (!kernel) {
    return {};
  }
  std::vector<Finding> findings;
  const bool gpu =
      text.contains("alloc_shared") || text.contains("alloc_fragment") || text.contains("threads=");
  const auto product = handWrittenProduct(lines);
  if (gpu && !text.contains("alloc_shared")) {
    findings.push_back({Side::memory, "shared memory is not used", quoteLine(lines, *kernel),
                        "shared-memory", 0.6});
  }
  const auto copy = lineWith(lines, "T.copy(");
  if (gpu && copy && !text.contains("T.Pipelined(")) {
    findings.push_back({Side::memory, "copies and computation alternate: no pipeline",
                        quoteLine(lines, *copy), "pipelining", 0.5});
  }
  if (gpu && product && !text.contains("T.gemm(")) {
    findings.push_back({Side::computation, "products do not use tensor cores",
                        quoteLine(lines, *product), "tensor-cores", 0.7});
  }
  const bool cpu = targetsCpu(source.text);
  if (!cpu && !copy && !text.contains("T.vectorized(") && !text.contains("T.Parallel(")) {
    findings.push_back({Side::memory, "no vectorized loads or copies", quoteLine(lines, *kernel),
                        "vectorization", 0.5});
  }
  if (const auto again = repeatedExp(lines)) {
    findings.push_back({Side::algorithm, "the same exponential is computed twice",
                        quoteLine(lines, *again), "cached-exp", 0.4});
  }
  if (cpu) {
    orderFindings(text, lines, findings);
  }
  knobFindings(tileLangKnobs(source.text), lines, gpu, cpu, findings);
  return findings;
}

}  // namespace hone::kernel
