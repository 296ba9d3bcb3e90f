#include "kernel/judge/task/reference_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kConv = R"(#include <cstdint>
// hone: sizes H=8 W=10 F=4
  //hone: other H=5
// hone: other H=7 W=9 F=1
// hone: input X f32 HxW
// hone: input K f16 (2+1)x3xF
// hone: output Y f64 (H-2)x(W-2)xF
// hone: flops 2*9*(H-2)*(W-2)*F
// an ordinary comment about hone: nothing
)";

std::string referenceError(const std::string& text) {
  const auto task = taskFromReference(text, "a.reference.cc");
  return task ? "" : task.error().message;
}

TEST(ReferenceText, ParsesArguments) {
  const Task task = taskFromReference(kConv, "a").value();
  EXPECT_EQ(task.shape.sizes,
            (std::vector<std::pair<std::string, std::int64_t>>{{"H", 8}, {"W", 10}, {"F", 4}}));
  ASSERT_EQ(task.shape.inputs.size(), 2u);
  EXPECT_EQ(task.shape.inputs[0].type.text(), "8x10xf32");
  EXPECT_EQ(task.shape.inputs[1].name, "K");
  EXPECT_EQ(task.shape.inputs[1].type.text(), "3x3x4xf16");
  EXPECT_EQ(task.shape.outputs[0].type.text(), "6x8x4xf64");
  EXPECT_EQ(task.shape.flops, 2 * 9 * 6 * 8 * 4);
  EXPECT_EQ(task.shape.bytes(), 8 * 10 * 4 + 9 * 4 * 2 + 6 * 8 * 4 * 8);
}

TEST(ReferenceText, KeepsSizesThatOtherLinesOmit) {
  const Task task = taskFromReference(kConv, "a").value();
  ASSERT_EQ(task.others.size(), 2u);
  EXPECT_EQ(task.others[0].outputs[0].type.text(), "3x8x4xf64");
  EXPECT_EQ(task.others[1].outputs[0].type.text(), "5x7x1xf64");
  EXPECT_EQ(task.others[1].flops, 2 * 9 * 5 * 7);
}

TEST(ReferenceText, ParsesIntegerRanges) {
  const Task task = taskFromReference(
                        "// hone: sizes N=6 V=100\n// hone: other N=3 V=7\n"
                        "// hone: input ids i32 N in 0..V\n// hone: input d i8 N in -3..(V/V+3)\n"
                        "// hone: input free i64 N\n// hone: output Y f32 N\n",
                        "a")
                        .value();
  EXPECT_EQ(task.shape.inputs[0].range, (IntegerRange{0, 100}));
  EXPECT_EQ(task.others[0].inputs[0].range, (IntegerRange{0, 7}));
  EXPECT_EQ(task.shape.inputs[1].range, (IntegerRange{-3, 4}));
  EXPECT_EQ(task.shape.inputs[2].range, std::nullopt);
}

TEST(ReferenceText, RejectsInvalidRanges) {
  const auto error = [](const std::string& line) {
    return referenceError("// hone: sizes N=6 V=200\n// hone: " + line + "\n");
  };
  EXPECT_THAT(error("input ids i32 N in V"), HasSubstr("expected LOW..HIGH"));
  EXPECT_THAT(error("input ids f32 N in 0..V"), HasSubstr("needs an integer type, got f32"));
  EXPECT_THAT(error("input ids i32 N in V..V"), HasSubstr("the first one below the second"));
  EXPECT_THAT(error("input ids i32 N in 0..V/3"), HasSubstr("expected two integers"));
  EXPECT_THAT(error("input ids i8 N in 0..V"), HasSubstr("exceeds the type i8"));
  EXPECT_THAT(error("input ids i32 N in 0..Q"), HasSubstr("unknown size 'Q'"));
  EXPECT_THAT(error("input ids i32 N of 0..V"), HasSubstr("[in LOW..HIGH]"));
  EXPECT_THAT(error("output ids i32 N in 0..V"), HasSubstr("expected 'output NAME TYPE"));
}

TEST(ReferenceText, ReportsLineOfError) {
  const std::string good = "// hone: sizes M=4\n// hone: input A f32 M\n// hone: output B f32 M\n";
  EXPECT_EQ(referenceError(good), "");
  EXPECT_THAT(referenceError("// hone: sizes M=4 N\n"),
              StartsWith("a.reference.cc:1: invalid size 'N': expected NAME=NUMBER"));
  EXPECT_THAT(referenceError("\n// hone: sizes M=0\n"), StartsWith("a.reference.cc:2: "));
  EXPECT_THAT(referenceError("// hone: sizes Mx=4\n"), HasSubstr("x separates dimensions"));
  EXPECT_THAT(referenceError("// hone: sizes M=4 M=5\n"), HasSubstr("duplicate size 'M'"));
  EXPECT_THAT(referenceError(good + "// hone: sizes M=4\n"),
              StartsWith("a.reference.cc:4: duplicate 'sizes' line"));
  EXPECT_THAT(referenceError(good + "// hone: inptu C f32 M\n"),
              HasSubstr("did you mean 'input'?"));
  EXPECT_THAT(referenceError(good + "// hone: output C f99 M\n"),
              HasSubstr("unknown element type 'f99'"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 MxQ\n"), HasSubstr("unknown size 'Q'"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 M-4\n"), HasSubstr("dimension 'M-4'"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 M/3\n"),
              HasSubstr("expected a positive integer"));
  EXPECT_THAT(referenceError(good + "// hone: output A f32 M\n"),
              HasSubstr("duplicate argument 'A'"));
  EXPECT_THAT(referenceError(good + "// hone: input C f32 M\n"), HasSubstr("inputs come first"));
  EXPECT_THAT(referenceError(good + "// hone: output C\n"),
              HasSubstr("expected 'output NAME TYPE"));
  EXPECT_THAT(referenceError(good + "// hone: other Q=1\n"), HasSubstr("unknown size 'Q'"));
  EXPECT_THAT(referenceError(good + "// hone: flops M+\n"), StartsWith("a.reference.cc:4: "));
  EXPECT_THAT(referenceError("// hone: sizes M=4\n// hone: input A f32 M\n"),
              StartsWith("a.reference.cc: missing line '// hone: output"));
  EXPECT_THAT(referenceError("int x;\n"), HasSubstr("missing line '// hone: input"));
  EXPECT_THAT(referenceError("// hone: sizes M=1000000000\n// hone: input A f32 MxMxM\n"),
              HasSubstr("has too many elements"));
}

TEST(ReferenceText, ParsesFlopsAndOtherSizesOfPythonReference) {
  const auto parsed = [](const char* text) { return parsePythonNotes(text, "a.reference.py"); };
  EXPECT_EQ(parsed("import torch\n# about hone\n").value().flops, std::nullopt);
  EXPECT_EQ(parsed("import torch\n# hone: flops 512*1024\n").value().flops, 512.0 * 1024);
  EXPECT_EQ(parsed("# hone: flops 0\n").value().flops, 0.0);
  const auto others = parsed("# hone: other max_rows=3 N=5\n# hone: other max_rows=1 N=64\n");
  ASSERT_EQ(others.value().others.size(), 2U);
  EXPECT_EQ(others->others[1].front(), (std::pair<std::string, std::int64_t>("max_rows", 1)));
  EXPECT_EQ(others->others[1].back().second, 64);
  EXPECT_THAT(parsed("# hone: other M=3\n# hone: other N=3\n").error().message,
              StartsWith("a.reference.py:2: all 'other' lines must name the same"));
  EXPECT_THAT(parsed("# hone: other\n").error().message, HasSubstr("expected 'other NAME=NUMBER"));
  EXPECT_THAT(parsed("# hone: other M=0\n").error().message, HasSubstr("expected 1 or more"));
  EXPECT_THAT(parsed("\n# hone: flops M\n").error().message, StartsWith("a.reference.py:2: "));
  EXPECT_THAT(parsed("# hone: flops 0-1\n").error().message, HasSubstr("invalid flops"));
  EXPECT_THAT(parsed("# hone: flosp 1\n").error().message, HasSubstr("unknown keyword 'flosp'"));
}

TEST(FixedSizes, NeedsALineWithoutOtherText) {
  const auto fixed = [](Language language, const std::string& text) {
    return hasFixedSizes({language, "a", text, {}});
  };
  EXPECT_TRUE(fixed(Language::cpp, "#include <cmath>\n  // hone: fixed sizes\n"));
  EXPECT_FALSE(fixed(Language::cpp, "// hone: fixed sizes of some kind\n"));
  EXPECT_FALSE(fixed(Language::cpp, "# hone: fixed sizes\n"));
  EXPECT_TRUE(fixed(Language::tilelang, "# hone: fixed sizes\n"));
}

}  // namespace
}  // namespace hone::kernel
