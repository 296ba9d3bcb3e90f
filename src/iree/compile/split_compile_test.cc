#include "iree/compile/split_compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::iree {
namespace {

using Status = CompileReport::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SplitCompileTest : public ::testing::Test {
 protected:
  CompileRequest request(const model::Problem& problem) {
    const std::string text = emitMlir(problem, "main");
    CompileRequest request;
    request.source = folder_.path() / fmt::format("{}.mlir", nameOf(problem));
    request.sourceHash = hashBytes(text);
    request.flags = targetFrom("local")->flags;
    request.function = "main";
    EXPECT_TRUE(writeFile(request.source, text));
    return request;
  }

  Splittable prepare(const model::Problem& problem) {
    const std::vector<CompileRequest> requests = {request(problem)};
    return prepareSplits(compiler_, requests).value().front();
  }

  std::vector<SplitCompiled> compile(const Splittable& program, std::vector<SplitSizes> choices) {
    const std::vector<SplitOrder> orders = {{&program, std::move(choices)}};
    return compileSplits(compiler_, orders).value().front();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-split-test").value();
  Compiler compiler_{
      CompilePool::start({findInstallation("").value().compilerLibrary(), 2, {}}).value(),
      ArtifactCache(folder_.path() / "cache"),
      Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U}};
};

constexpr model::Matmul kMatmul{.m = 32, .n = 48, .k = 20480};

model::Conv weightBackward() {
  model::Conv conv{.direction = model::ConvDirection::weightBackward};
  conv.n = 16;
  conv.c = 24;
  conv.k = 40;
  conv.h = conv.w = 20;
  return conv;
}

TEST_F(SplitCompileTest, ReadsMatmulAndTheCompilersSplit) {
  const Splittable program = prepare(kMatmul);
  ASSERT_EQ(program.report.status, Status::ok) << program.report.message;
  ASSERT_THAT(program.operations, SizeIs(1));
  const model::Reduction& reduction = program.operations.front();
  EXPECT_EQ(reduction.kind, model::ReductionKind::matmul);
  EXPECT_THAT(reduction.sizes, ElementsAre(20480));
  EXPECT_EQ(reduction.outputSize(), 32 * 48);
  EXPECT_THAT(program.compilersOwn, ElementsAre(ElementsAre(160))) << "a limit of 128";
}

TEST_F(SplitCompileTest, CompilerDoesNotSplitSmallReductions) {
  EXPECT_THAT(prepare(model::Matmul{.m = 128, .n = 128, .k = 128}).compilersOwn, IsEmpty());
}

TEST_F(SplitCompileTest, TreatsOneByOneConvolutionAsMatmul) {
  model::Conv conv = weightBackward();
  const Splittable program = prepare(conv);
  ASSERT_THAT(program.operations, SizeIs(1));
  EXPECT_EQ(program.operations.front().kind, model::ReductionKind::matmul);
  EXPECT_THAT(program.operations.front().sizes, ElementsAre(16, 20, 20));
  const auto compiled = compile(program, {{{4, 20, 20}}});
  EXPECT_EQ(compiled.front().report.status, Status::ok) << compiled.front().report.message;
}

TEST_F(SplitCompileTest, ReadsSizesOfWeightBackwardConvolution) {
  model::Conv conv = weightBackward();
  conv.y = conv.x = 3;
  conv.padH = conv.padW = 1;
  const Splittable program = prepare(conv);
  ASSERT_THAT(program.operations, SizeIs(1));
  const model::Reduction& reduction = program.operations.front();
  EXPECT_EQ(reduction.kind, model::ReductionKind::convolution);
  EXPECT_FALSE(reduction.batchFirst);
  EXPECT_EQ(reduction.outputSize(), 40 * 24 * 3 * 3);
  EXPECT_EQ(reduction.reductionSize(), 16 * 20 * 20);
}

TEST_F(SplitCompileTest, CompilesAllChoicesToOneModule) {
  const Splittable program = prepare(kMatmul);
  const auto compiled = compile(program, {{}, {{20480}}, {{640}}});
  ASSERT_THAT(compiled, SizeIs(3));
  for (const SplitCompiled& one : compiled) {
    EXPECT_EQ(one.report.status, Status::ok) << one.report.message;
    EXPECT_EQ(one.module, compiled.front().module);
  }
  EXPECT_NE(compiled[0].function, compiled[1].function);
  EXPECT_NE(compiled[1].function, compiled[2].function);
  EXPECT_EQ(compile(program, {{}, {{20480}}, {{640}}}).front().module, compiled.front().module);
}

TEST_F(SplitCompileTest, FailedChoiceDoesNotAffectOthers) {
  const Splittable program = prepare(kMatmul);
  const auto compiled = compile(program, {{}, {{0}}, {{64, 2}}, {{640}}});
  ASSERT_THAT(compiled, SizeIs(4));
  EXPECT_EQ(compiled[0].report.status, Status::ok) << compiled[0].report.message;
  EXPECT_EQ(compiled[1].report.status, Status::failed);
  EXPECT_EQ(compiled[2].report.status, Status::noMatch);
  EXPECT_THAT(compiled[2].report.message, HasSubstr("do not match"));
  EXPECT_EQ(compiled[3].report.status, Status::ok) << compiled[3].report.message;
}

TEST_F(SplitCompileTest, ReportsSplitThatDiffersFromTheRequest) {
  Splittable program = prepare(kMatmul);
  // With its own heuristic enabled, the compiler splits although no split is requested.
  program.flags.emplace_back(kEnableSplitFlag);
  const auto compiled = compile(program, {{}, {{640}}});
  EXPECT_EQ(compiled[0].report.status, Status::noMatch);
  EXPECT_THAT(compiled[0].report.message, HasSubstr("expected not split, got [[160]]"));
  EXPECT_EQ(compiled[1].report.status, Status::ok) << compiled[1].report.message;
}

TEST_F(SplitCompileTest, ReportsProgramThatDoesNotCompile) {
  CompileRequest bad = request(kMatmul);
  bad.source = folder_.path() / "bad.mlir";
  ASSERT_TRUE(writeFile(bad.source, "func.func @main() {"));
  bad.sourceHash = "bad";
  const std::vector<CompileRequest> requests = {bad, request(kMatmul)};
  const auto programs = prepareSplits(compiler_, requests).value();
  EXPECT_EQ(programs[0].report.status, Status::badSource);
  EXPECT_EQ(programs[1].report.status, Status::ok);
}

}  // namespace
}  // namespace hone::iree
