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

TEST(ReferenceText, SaysWhatGoesInAndOut) {
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

TEST(ReferenceText, OtherSizesKeepWhatTheyDoNotName) {
  const Task task = taskFromReference(kConv, "a").value();
  ASSERT_EQ(task.others.size(), 2u);
  EXPECT_EQ(task.others[0].outputs[0].type.text(), "3x8x4xf64");
  EXPECT_EQ(task.others[1].outputs[0].type.text(), "5x7x1xf64");
  EXPECT_EQ(task.others[1].flops, 2 * 9 * 5 * 7);
}

TEST(ReferenceText, ErrorsNameTheLine) {
  const std::string good = "// hone: sizes M=4\n// hone: input A f32 M\n// hone: output B f32 M\n";
  EXPECT_EQ(referenceError(good), "");
  EXPECT_THAT(referenceError("// hone: sizes M=4 N\n"),
              StartsWith("a.reference.cc:1: 'N' is no size; write NAME=NUMBER"));
  EXPECT_THAT(referenceError("\n// hone: sizes M=0\n"), StartsWith("a.reference.cc:2: "));
  EXPECT_THAT(referenceError("// hone: sizes Mx=4\n"), HasSubstr("has an x in its name"));
  EXPECT_THAT(referenceError("// hone: sizes M=4 M=5\n"), HasSubstr("'M' stands there twice"));
  EXPECT_THAT(referenceError(good + "// hone: sizes M=4\n"),
              StartsWith("a.reference.cc:4: 'sizes'"));
  EXPECT_THAT(referenceError(good + "// hone: inptu C f32 M\n"),
              HasSubstr("did you mean 'input'?"));
  EXPECT_THAT(referenceError(good + "// hone: output C f99 M\n"),
              HasSubstr("'f99' is no element type"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 MxQ\n"),
              HasSubstr("there is no size 'Q'"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 M-4\n"), HasSubstr("'M-4' is 0"));
  EXPECT_THAT(referenceError(good + "// hone: output C f32 M/3\n"),
              HasSubstr("not a whole number"));
  EXPECT_THAT(referenceError(good + "// hone: output A f32 M\n"),
              HasSubstr("'A' stands there twice"));
  EXPECT_THAT(referenceError(good + "// hone: input C f32 M\n"), HasSubstr("inputs come first"));
  EXPECT_THAT(referenceError(good + "// hone: output C\n"), HasSubstr("write 'output NAME TYPE"));
  EXPECT_THAT(referenceError(good + "// hone: other Q=1\n"), HasSubstr("there is no size 'Q'"));
  EXPECT_THAT(referenceError(good + "// hone: flops M+\n"), StartsWith("a.reference.cc:4: "));
  EXPECT_THAT(referenceError("// hone: sizes M=4\n// hone: input A f32 M\n"),
              StartsWith("a.reference.cc: there is no line '// hone: output"));
  EXPECT_THAT(referenceError("int x;\n"), HasSubstr("there is no line '// hone: input"));
  EXPECT_THAT(referenceError("// hone: sizes M=1000000000\n// hone: input A f32 MxMxM\n"),
              HasSubstr("more elements than can be counted"));
}

TEST(ReferenceText, APythonReferenceMaySayItsFlopsAndOtherSizes) {
  const auto said = [](const char* text) { return notesOfPython(text, "a.reference.py"); };
  EXPECT_EQ(said("import torch\n# about hone\n").value().flops, std::nullopt);
  EXPECT_EQ(said("import torch\n# hone: flops 512*1024\n").value().flops, 512.0 * 1024);
  EXPECT_EQ(said("# hone: flops 0\n").value().flops, 0.0);
  const auto others = said("# hone: other max_rows=3 N=5\n# hone: other max_rows=1 N=64\n");
  ASSERT_EQ(others.value().others.size(), 2U);
  EXPECT_EQ(others->others[1].front(), (std::pair<std::string, std::int64_t>("max_rows", 1)));
  EXPECT_EQ(others->others[1].back().second, 64);
  EXPECT_THAT(said("# hone: other M=3\n# hone: other N=3\n").error().message,
              StartsWith("a.reference.py:2: all lines 'other' name the same"));
  EXPECT_THAT(said("# hone: other\n").error().message, HasSubstr("write 'other NAME=NUMBER"));
  EXPECT_THAT(said("# hone: other M=0\n").error().message, HasSubstr("must be 1 or more"));
  EXPECT_THAT(said("\n# hone: flops M\n").error().message, StartsWith("a.reference.py:2: "));
  EXPECT_THAT(said("# hone: flops 0-1\n").error().message, HasSubstr("below 0"));
  EXPECT_THAT(said("# hone: flosp 1\n").error().message, HasSubstr("'flosp' is not known"));
}

TEST(FixedSizes, IsALineOfItsOwn) {
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
