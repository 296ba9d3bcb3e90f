// Builds and runs rewritten kernels, and compares their results with the reference.

#include <gtest/gtest.h>

#include <ostream>

#include "kernel/nest/test_library.h"
#include "kernel/propose/rewrite_plan.h"

namespace hone::kernel {
namespace {

struct RewriteCase {
  std::string example;
  std::string plan;

  friend std::ostream& operator<<(std::ostream& out, const RewriteCase& rewritten) {
    return out << rewritten.example << ": " << rewritten.plan;
  }
};

std::vector<RewriteCase> allCases() {
  return {
      {"matmul", "packing rows=8 vectors=3 width=16 depth=64"},
      {"matmul", "packing rows=4 vectors=2 width=8 depth=64 block=96 unroll=2 prefetch=1"},
      {"matmul", "register-tile rows=6 vectors=4 width=16"},
      {"matmul", "register-tile rows=2 vectors=2 width=8 unroll=4"},
      {"matmul", "loop-order block=64; vectorization width=16 unroll=2"},
      {"matmul", "threads; packing rows=6 vectors=2 width=16 depth=64"},
      {"elementwise", "loop-order; vectorization width=16 unroll=4; compile-flags math=1"},
      {"elementwise", "threads; loop-order; vectorization width=4 unroll=1"},
      {"softmax", "cached-exp; hoisting; vectorization width=16 unroll=4"},
      {"softmax", "hoisting; vectorization width=8 unroll=1"},
      {"softmax", "cached-exp; threads"},
      {"layer_norm", "one-pass-statistics; hoisting; vectorization width=16 unroll=2"},
      {"layer_norm", "hoisting; vectorization width=4 unroll=8; compile-flags math=2"},
      {"row_reduction", "vectorization width=16 unroll=8"},
      {"row_reduction", "vectorization width=8 unroll=2; compile-flags math=1 unroll=1 wide=1"},
      {"conv", "register-tile rows=6 vectors=4 width=16"},
      {"conv", "register-tile rows=4 vectors=1 width=8"},
      {"conv", "loop-order block=64; vectorization width=16 unroll=1"},
      {"attention",
       "hoisting; register-tile rows=6 vectors=2 width=16; packing rows=4 vectors=2 width=16 "
       "depth=64; vectorization"},
      {"attention",
       "fusion rows=32; cached-exp; hoisting; packing rows=8 vectors=3 width=16 depth=64; "
       "vectorization"},
      {"attention",
       "fusion rows=8; threads; packing rows=4 vectors=4 width=16 depth=64; vectorization"},
      {"gelu_chain", "fusion; vectorization width=16 unroll=2"},
      {"gelu_chain", "vectorization width=8 unroll=1"},
  };
}

class RewrittenKernel : public ::testing::TestWithParam<RewriteCase> {};

TEST_P(RewrittenKernel, MatchesReference) {
  const auto plan = RewritePlan::from(GetParam().plan);
  ASSERT_TRUE(plan);
  const auto source = applyPlan(*plan, exampleSource(GetParam().example));
  ASSERT_TRUE(source);
  const TestLibrary kernel(source->text, source->flags, "kernel");
  const TestLibrary reference(
      readFile(exampleKernels() / (GetParam().example + ".reference.cc")).value(), {}, "reference");
  ASSERT_TRUE(kernel.ok() && reference.ok());
  int calls = 0;
  for (const ExampleCall& call : exampleCalls()) {
    if (call.name == GetParam().example) {
      ++calls;
      // Large scores make a softmax of f32 inputs ill-conditioned.
      for (const double scale : {1.0, call.name == "attention" ? 3.0 : 30.0}) {
        EXPECT_LT(worstError(kernel, reference, call, scale), 1e-5) << source->text;
      }
    }
  }
  EXPECT_GE(calls, 3);
}

INSTANTIATE_TEST_SUITE_P(All, RewrittenKernel, ::testing::ValuesIn(allCases()),
                         [](const auto& info) {
                           return info.param.example + std::to_string(info.index);
                         });

}  // namespace
}  // namespace hone::kernel
