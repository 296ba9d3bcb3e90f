#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/constraints.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/mlir/problem_mlir.h"
#include "search/space/space.h"

namespace hone::search {

/// Returns a 2048x2048x2048 matmul, f16 into f32.
inline model::Problem largeMatmul() {
  return model::Matmul{.m = 2048,
                       .n = 2048,
                       .k = 2048,
                       .lhs = model::ElementType::f16,
                       .rhs = model::ElementType::f16};
}

/// Returns a 3x3 convolution of a 2x34x34x1280 image with 1280 filters, f16 into f32.
inline model::Problem largeConv() {
  return model::Conv{.n = 2,
                     .c = 1280,
                     .h = 34,
                     .w = 34,
                     .k = 1280,
                     .y = 3,
                     .x = 3,
                     .input = model::ElementType::f16};
}

/// Returns an attention with 32 heads, 1024 queries and keys.
inline model::Problem largeAttention() {
  return model::Attention{
      .batch = 32, .queries = 1024, .keys = 1024, .depth = 64, .type = model::ElementType::f16};
}

/// Returns the compiler's constraints of all pipelines for the problem on the target.
inline Result<std::vector<iree::PipelineConstraints>> constraintsFor(
    const std::string& target, const model::Problem& problem) {
  const auto folder = HONE_TRY(ScratchFolder::create("hone-constraints"));
  const std::string text = iree::emitMlir(problem);
  HONE_CHECK(writeFile(folder.path() / "problem.mlir", text));
  const iree::Installation installation = HONE_TRY(iree::findInstallation(""));
  iree::Compiler compiler(
      HONE_TRY(iree::CompilePool::start({installation.compilerLibrary(), 1, {}})),
      iree::ArtifactCache(folder.path() / "cache"),
      Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U});
  return iree::queryConstraints(compiler, {folder.path() / "problem.mlir",
                                           hashBytes(text),
                                           HONE_TRY(iree::targetFrom(target)).flags,
                                           {}});
}

/// Returns the knobs of a pipeline, without values.
inline std::vector<Knob> listKnobs(const iree::PipelineConstraints& constraints) {
  std::vector<Knob> knobs;
  for (const iree::Knob& knob : constraints.knobs) {
    knobs.push_back({knob.name, {}, knob.options.empty()});
  }
  return knobs;
}

}  // namespace hone::search
