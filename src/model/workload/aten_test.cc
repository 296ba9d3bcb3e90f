#include "model/workload/aten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/workload/workload.h"

namespace hone::model {
namespace {

using testing::HasSubstr;

Matmul parsed(std::string_view line) {
  const auto problems = problemsFromLine(line);
  if (!problems || problems->size() != 1) {
    ADD_FAILURE() << line << ": " << (problems ? "no problem" : problems.error().message);
    return {};
  }
  return std::get<Matmul>(problems->front());
}

std::string atenFault(std::string_view line) {
  const auto problems = problemsFromLine(line);
  return problems ? "" : problems.error().message;
}

TEST(Aten, ParsesMatmul) {
  const Matmul matmul =
      parsed(R"(aten::mm "[[3840, 4352], [4352, 1920]]" "['c10::BFloat16', 'c10::BFloat16']" )"
             R"("[[1, 3840], [1920, 1]]" "['', '']")");
  EXPECT_EQ(matmul, (Matmul{.m = 3840,
                            .n = 1920,
                            .k = 4352,
                            .transposeLhs = true,
                            .lhs = ElementType::bf16,
                            .rhs = ElementType::bf16,
                            .result = ElementType::f32}))
      << "sums of 16-bit types are f32, as for gemm commands";
}

TEST(Aten, ParsesBatchMatmul) {
  const Matmul matmul =
      parsed(R"(iree-boo-driver aten::bmm "[[128, 3, 5], [128, 5, 1152]]" "['float', 'float']" )"
             R"("[[15, 5, 1], [5760, 1, 5]]" "['', '']"  # of a head)");
  EXPECT_EQ(matmul, (Matmul{.batch = 128, .m = 3, .n = 1152, .k = 5, .transposeRhs = true}));
  EXPECT_EQ(parsed(R"(aten::bmm "[[2, 3, 4], [2, 4, 5]]" "['double', 'double']" )"
                   R"("[[12, 4, 1], [20, 5, 1]]" "['', '']")")
                .result,
            ElementType::f64);
}

TEST(Aten, ParsesBiasOfAddmm) {
  const auto addmm = [](std::string_view bias, std::string_view beta) {
    return fmt::format(R"(aten::addmm "[{}, [24576, 512], [512, 256], [], []]" )"
                       R"("['c10::Half', 'c10::Half', 'c10::Half', 'Scalar', 'Scalar']" )"
                       R"("[[1], [512, 1], [1, 512], [], []]" "['', '', '', '{}', '1']")",
                       bias, beta);
  };
  const Matmul matmul = parsed(addmm("[256]", "1"));
  EXPECT_EQ(matmul.m, 24576);
  EXPECT_EQ(matmul.n, 256);
  EXPECT_EQ(matmul.k, 512);
  EXPECT_TRUE(matmul.transposeRhs);
  EXPECT_TRUE(matmul.epilogue.bias);
  EXPECT_FALSE(parsed(addmm("[24576, 256]", "0")).epilogue.bias);
  EXPECT_THAT(atenFault(addmm("[24576, 256]", "1")), HasSubstr("bias per column; write the line"));
  EXPECT_THAT(atenFault(addmm("[256]", "20")), HasSubstr("beta 20"));
}

TEST(Aten, AcceptsQuotesOfCsvAndTsvFiles) {
  const Matmul expected{.m = 64, .n = 32, .k = 256};
  EXPECT_EQ(parsed("aten::mm '[[64, 256], [256, 32]]' '['\"'\"'float'\"'\"', '\"'\"'float'\"'\"']' "
                   "'[[256, 1], [32, 1]]' '['\"'\"''\"'\"', '\"'\"''\"'\"']'"),
            expected)
      << "column `arguments` of the driver's CSV files";
  EXPECT_EQ(parsed("aten::mm\t[[64, 256], [256, 32]]\t['float', 'float']\t[[256, 1], [32, 1]]\t"
                   "['', '']"),
            expected);
}

TEST(Aten, IgnoresStridesOfUnitDimensions) {
  EXPECT_EQ(parsed(R"(aten::mm "[[1, 256], [256, 1]]" "['float', 'float']" )"
                   R"("[[7, 1], [1, 9]]" "['', '']")"),
            (Matmul{.m = 1, .n = 1, .k = 256}));
}

TEST(Aten, NamesOperationsWithoutReductionToSplit) {
  for (
      const char* line :
      {R"(aten::argmax "[[4, 8, 16], [], []]" "['float', 'Scalar', 'Scalar']" "[[128, 16, 1]]" "[]")",
       "aten::scaled_dot_product_attention", "layernorm --input 10x32x42x32 -t 1 --mode 0",
       "layernormbfp16 --input 10x32", "bnormbfp16 --batchsize 8 --in_channels 64"}) {
    const std::string_view command = extractCommand(line);
    EXPECT_EQ(atenFault(line), fmt::format("{} is neither a matmul nor a convolution, so it has no "
                                           "reduction to split; remove the line",
                                           command));
  }
}

TEST(Aten, RejectsInvalidOperands) {
  const auto mm = [](std::string_view sizes, std::string_view types, std::string_view strides) {
    return atenFault(
        fmt::format("aten::mm \"{}\" \"{}\" \"{}\" \"['', '']\"", sizes, types, strides));
  };
  constexpr std::string_view kFloats = "['float', 'float']";
  EXPECT_THAT(mm("[[64, 256], [255, 32]]", kFloats, "[[256, 1], [32, 1]]"),
              HasSubstr("aten::mm: operands [64, 256] and [255, 32] do not match; correct"));
  EXPECT_THAT(mm("[[64, 256], [256, 32]]", "['float', 'int']", "[[256, 1], [32, 1]]"),
              HasSubstr("type 'int' is not supported; use float"));
  EXPECT_THAT(mm("[[64, 256], [256, 32]]", "['float', 'double']", "[[256, 1], [32, 1]]"),
              HasSubstr("different types"));
  EXPECT_THAT(mm("[[64, 256], [256, 32]]", kFloats, "[[512, 1], [32, 1]]"),
              HasSubstr("strides [512, 1] of operand 1 are not supported; use"));
  EXPECT_THAT(mm("[[64, 256]]", kFloats, "[[256, 1], [32, 1]]"), HasSubstr("operand 2"));
  EXPECT_THAT(mm("[[0, 256], [256, 32]]", kFloats, "[[256, 1], [32, 1]]"), HasSubstr("; correct"));
  EXPECT_THAT(mm("64x256", kFloats, "[[256, 1], [32, 1]]"),
              HasSubstr("invalid sizes '64x256'; use"));
  EXPECT_THAT(mm("[[64, 256], [256, 32]]", "[1, 2]", "[[256, 1], [32, 1]]"),
              HasSubstr("invalid types"));
  EXPECT_THAT(atenFault("aten::mm \"[[64, 256]"), HasSubstr("unclosed quote; add \""));
  EXPECT_THAT(atenFault("aten::mm"), HasSubstr("got 0 of 4; quote each list"));
}

}  // namespace
}  // namespace hone::model
