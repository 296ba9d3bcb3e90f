#include "kernel/propose/llm/llm_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Source& cpp() {
  static const Source kSource{
      Language::cpp,
      "scale",
      "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {\n  // slow\n}\n",
      {"-O3"}};
  return kSource;
}

const Source& tilelang() {
  static const Source kSource{
      Language::tilelang, "scale", "class ModelNew(nn.Module):\n    pass\n", {}};
  return kSource;
}

const std::string kGood =
    "extern \"C\" void kernel(const float* __restrict__ X, float* Y, std::int64_t N) { fast(); }";

std::string block(const std::string& code, const std::string& tag = "cpp") {
  return "```" + tag + "\n" + code + "\n```\n";
}

/// The only reason why nothing was taken.
std::string refusal(const std::string& answer, const Source& kernel = cpp()) {
  const ModelAnswer read = readAnswer(answer, kernel, 4);
  EXPECT_THAT(read.proposals, IsEmpty());
  EXPECT_THAT(read.refused, SizeIs(1));
  return read.refused.empty() ? "" : read.refused.front();
}

TEST(ReadAnswer, OneBlockIsOneCandidate) {
  const ModelAnswer read = readAnswer(
      "Use wider vectors.\nTechniques: vectorization, Loop Order\n" + block(kGood), cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_THAT(read.refused, IsEmpty());
  const Proposal& proposal = read.proposals[0];
  EXPECT_EQ(proposal.source.text, kGood + "\n");
  EXPECT_EQ(proposal.source.flags, cpp().flags) << "built as the best is";
  EXPECT_EQ(proposal.source.name, "scale");
  EXPECT_EQ(proposal.title, "Use wider vectors.");
  EXPECT_THAT(proposal.techniques, ElementsAre("vectorization", "loop-order"));
}

TEST(ReadAnswer, AModelMayNotDropOtherSizes) {
  const std::string fixed = "// hone: fixed sizes\n" + kGood;
  EXPECT_THAT(refusal(block(fixed)), HasSubstr("must be right for other sizes, too"));
  Source best = cpp();
  best.text.insert(0, "// hone: fixed sizes\n");
  EXPECT_THAT(readAnswer(block(fixed), best, 4).proposals, SizeIs(1)) << "the user has said so";
  EXPECT_THAT(readAnswer(block(kGood), best, 4).proposals, SizeIs(1));
}

TEST(ReadAnswer, HeadingsTellCandidatesApart) {
  const std::string other = kGood + "\n// another\n";
  const ModelAnswer read = readAnswer("Here they are.\n### Candidate 1: packing\nWhy.\n" +
                                          block(kGood) + "## Candidate 2\n" + block("int x;") +
                                          "**Candidate 3: tiles**\n" + block(other, "c++"),
                                      cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(2));
  EXPECT_EQ(read.proposals[0].title, "packing");
  EXPECT_EQ(read.proposals[1].title, "tiles");
  ASSERT_THAT(read.refused, SizeIs(1));
  EXPECT_THAT(read.refused[0], HasSubstr("candidate 2: it has no function kernel"));
}

TEST(ReadAnswer, TakesNoMoreThanWanted) {
  std::string answer;
  for (int i = 0; i < 6; ++i) {
    answer += "### Candidate: x\n" + block(kGood + "//" + std::to_string(i));
  }
  EXPECT_THAT(readAnswer(answer, cpp(), 4).proposals, SizeIs(4));
}

TEST(ReadAnswer, RefusesWhatIsNoCandidate) {
  EXPECT_THAT(refusal("I would tile the loop and use AVX."), HasSubstr("only prose"));
  EXPECT_THAT(refusal(""), HasSubstr("only prose"));
  EXPECT_THAT(refusal(block("")), HasSubstr("empty"));
  EXPECT_THAT(refusal("```cpp\n" + kGood), HasSubstr("cut off"));
  EXPECT_THAT(refusal(block(kGood) + block(kGood)), HasSubstr("several code blocks"));
  EXPECT_THAT(refusal(block("print('x')", "python")), HasSubstr("in python, not in C++"));
  EXPECT_THAT(refusal(block("int main() {}")), HasSubstr("another file"));
  EXPECT_THAT(refusal(block("// kernel(x)\nint y;")), HasSubstr("another file"));
  EXPECT_THAT(refusal(block("void kernel(const float* X, float* Y, std::int64_t N) {}")),
              HasSubstr("not extern \"C\""));
  EXPECT_THAT(refusal(block("extern \"C\" void kernel(float* X, int N) {}")),
              HasSubstr("takes (float *, int), not (const float *, float *, int64_t)"));
  EXPECT_THAT(refusal(block(std::string(300'000, 'x'))), HasSubstr("no kernel"));
  EXPECT_THAT(refusal(block(kGood, "python"), tilelang()), HasSubstr("no class ModelNew"));
  Source same = cpp();
  same.text = kGood + "\n";
  EXPECT_THAT(refusal(block(kGood), same), HasSubstr("as it was"));
}

TEST(ReadAnswer, OtherLanguagesBesideTheCodeDoNotMatter) {
  const ModelAnswer read = readAnswer(block("g++ -O3", "bash") + block(kGood), cpp(), 4);
  EXPECT_THAT(read.proposals, SizeIs(1));
}

TEST(ReadAnswer, FencesWithinLongerFencesAreCode) {
  const ModelAnswer read = readAnswer("````cpp\n/*\n```\n*/\n" + kGood + "\n````\n", cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_THAT(read.proposals[0].source.text, HasSubstr("```"));
}

RC_GTEST_PROP(ReadAnswer, TakesOnlyWhatKeepsTheEntryPoint, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "```", "```cpp", "~~~~", "\n", "### Candidate 1: a\n", "kernel(", kGood, "extern \"C\"",
      "class ModelNew", "/*", "//", "\xff\xfe", "``", "text "));
  std::string text;
  for (const std::string& piece : pieces) {
    text += piece;
  }
  for (const Source* source : {&cpp(), &tilelang()}) {
    const ModelAnswer read = readAnswer(text, *source, 3);
    RC_ASSERT(read.proposals.size() <= 3U);
    for (const Proposal& proposal : read.proposals) {
      RC_ASSERT(!wrongEntryPoint(*source, proposal.source.text));
      RC_ASSERT(text.find(proposal.source.text.substr(0, proposal.source.text.size() - 1)) !=
                std::string::npos);
    }
  }
}

TEST(EntryPoint, TypesWithoutNames) {
  const auto point = entryPointOf(
      "#include <cstdint>\nint a;\nextern \"C\" void kernel(const float *__restrict__ A,\n"
      "    /* b */ std::int64_t N, unsigned int) {\n}\n");
  ASSERT_TRUE(point);
  EXPECT_THAT(point->types, ElementsAre("const float *", "int64_t", "unsigned"));
  EXPECT_TRUE(point->externC);
  EXPECT_EQ(point->declaration,
            "extern \"C\" void kernel(const float *__restrict__ A, /* b */ std::int64_t N, "
            "unsigned int)");
  EXPECT_FALSE(entryPointOf("void kernel(int N) {}")->externC);
  for (const char* none : {"void mykernel(int x); void kernels(int)", "void kernel(int",
                           "// kernel(int x)\nconst char* a = \"kernel(\";", ""}) {
    EXPECT_FALSE(entryPointOf(none)) << none;
  }
}

}  // namespace
}  // namespace hone::kernel
