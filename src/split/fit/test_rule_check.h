#pragma once

#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/process/subprocess.h"
#include "base/random.h"
#include "base/text/text.h"
#include "iree/compile/compiler.h"
#include "iree/compile/split_compile.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/mlir/problem_mlir.h"
#include "model/problem/problem.h"
#include "split/fit/rule.h"
#include "split/sweep/choices.h"

namespace hone::split {

// Compares hone's split rule with the compiler's pass, for a test and a benchmark.

/// Generates problems that the pass may split, with sizes from 1 to millions, log-uniform.
class ShapeMaker {
 public:
  explicit ShapeMaker(std::uint64_t seed) : random_(seed) {}

  model::Problem next() {
    for (;;) {
      const model::Problem problem = random_.below(2) == 0 ? matmul() : conv();
      if (model::check(problem)) {
        return problem;
      }
    }
  }

 private:
  std::int64_t size(double largest) {
    return std::llround(std::exp(random_.uniform() * std::log(largest)));
  }

  model::Problem matmul() {
    model::Matmul matmul{.m = size(4096), .n = size(4096), .k = size(3e7)};
    matmul.batch = random_.below(3) == 0 ? size(64) : 0;
    matmul.transposeLhs = random_.below(2) == 0;
    matmul.transposeRhs = random_.below(2) == 0;
    return matmul;
  }

  model::Problem conv() {
    model::Conv conv;
    constexpr std::array kDirections = {model::ConvDirection::forward,
                                        model::ConvDirection::backwardData,
                                        model::ConvDirection::weightBackward};
    conv.direction = kDirections[random_.below(kDirections.size())];
    conv.layout = random_.below(2) == 0 ? model::ConvLayout::nhwc : model::ConvLayout::nchw;
    conv.groups = random_.below(4) == 0 ? size(8) : 1;
    conv.n = size(256);
    conv.c = conv.groups * size(512);
    conv.k = conv.groups * size(512);
    conv.h = size(256);
    conv.w = size(256);
    conv.y = size(7);
    conv.x = size(7);
    conv.strideH = conv.strideW = size(3);
    conv.padH = conv.padW = static_cast<std::int64_t>(random_.below(3));
    conv.dilationH = conv.dilationW = size(2);
    return conv;
  }

  Random random_;
};

struct RuleCheck {
  std::int64_t shapes = 0;
  std::int64_t split = 0;         ///< shapes the compiler splits
  std::int64_t unrecognized = 0;  ///< shapes hone considers unsplittable
  std::vector<std::string> disagreements;
};

/// Parses the split sizes that the pass set on the operation of each function, by function name.
inline std::map<std::string, std::vector<std::int64_t>> splitsInText(std::string_view text) {
  constexpr std::string_view kMark = "iree_linalg_ext.split_reduction = [";
  std::map<std::string, std::vector<std::int64_t>> splits;
  std::string function;
  for (const std::string& line : splitAt(text, '\n')) {
    if (const auto at = line.find("func.func @"); at != std::string::npos) {
      function = line.substr(at + 11, line.find('(') - at - 11);
    }
    if (const auto at = line.find(kMark); at != std::string::npos) {
      const auto from = at + kMark.size();
      for (const std::string& part : splitAt(line.substr(from, line.find(']', from) - from), ',')) {
        splits[function].push_back(parseInt(splitAt(trim(part), ' ').front()).value_or(-1));
      }
    }
  }
  return splits;
}

/// Splits the problems, all in one module, with the compiler's pass and with hone's rule.
inline Result<RuleCheck> checkRule(iree::Compiler& compiler, const iree::Installation& installation,
                                   const std::filesystem::path& folder,
                                   const std::vector<model::Problem>& problems) {
  std::string text;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    text += iree::emitMlir(problems[i], fmt::format("f{}", i));
    text += '\n';
  }
  iree::CompileRequest request;
  request.source = folder / "shapes.mlir";
  request.sourceHash = hashBytes(text);
  HONE_CHECK(writeFile(request.source, text));
  const auto reductions = HONE_TRY(iree::queryReductions(compiler, request));
  const auto pass = HONE_TRY(runCommand({{installation.compilerLibrary().parent_path() / "iree-opt",
                                          "--pass-pipeline=builtin.module(func.func(iree-dispatch-"
                                          "creation-set-split-reduction-sizes))",
                                          request.source.string()},
                                         {},
                                         {std::chrono::minutes(5), 0}}));
  if (!pass.ending.ok()) {
    return machineError("iree-opt: {}", shortened(pass.err, 200));
  }
  const auto splits = splitsInText(pass.out);
  std::map<std::string, model::Reduction> byFunction;
  for (const iree::FunctionReduction& one : reductions) {
    byFunction.emplace(one.function, one.reduction);
  }
  RuleCheck check;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string function = fmt::format("f{}", i);
    const auto theirs =
        splits.contains(function) ? splits.at(function) : std::vector<std::int64_t>{};
    const auto known = byFunction.find(function);
    const auto ours = known == byFunction.end() ? std::vector<std::int64_t>{}
                                                : sizesUnder(known->second, compilersLimit);
    ++check.shapes;
    check.split += theirs.empty() ? 0 : 1;
    check.unrecognized += known == byFunction.end() ? 1 : 0;
    if (ours != theirs) {
      check.disagreements.push_back(fmt::format("{}: hone {}, compiler {}", nameOf(problems[i]),
                                                fmt::join(ours, " "), fmt::join(theirs, " ")));
    }
  }
  return check;
}

}  // namespace hone::split
