#include "kernel/propose/llm/llm_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/unified_diff.h"
#include "kernel/propose/llm/diff_answer.h"
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

/// Returns the reason why the only candidate was rejected.
std::string rejection(const std::string& answer, const Source& kernel = cpp()) {
  const ModelAnswer read = readAnswer(answer, kernel, 4);
  EXPECT_THAT(read.proposals, IsEmpty());
  EXPECT_THAT(read.rejected, SizeIs(1));
  return read.rejected.empty() ? "" : read.rejected.front();
}

TEST(ReadAnswer, ReadsOneBlockAsOneCandidate) {
  const ModelAnswer read = readAnswer(
      "Use wider vectors.\nTechniques: vectorization, Loop Order\n" + block(kGood), cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_THAT(read.rejected, IsEmpty());
  const Proposal& proposal = read.proposals[0];
  EXPECT_EQ(proposal.source.text, kGood + "\n");
  EXPECT_EQ(proposal.source.flags, cpp().flags) << "built like the best kernel";
  EXPECT_EQ(proposal.source.name, "scale");
  EXPECT_EQ(proposal.title, "Use wider vectors.");
  EXPECT_THAT(proposal.techniques, ElementsAre("vectorization", "loop-order"));
}

TEST(ReadAnswer, RejectsFixedSizesFromModel) {
  const std::string fixed = "// hone: fixed sizes\n" + kGood;
  EXPECT_THAT(rejection(block(fixed)), HasSubstr("must also be correct for other sizes"));
  Source best = cpp();
  best.text.insert(0, "// hone: fixed sizes\n");
  EXPECT_THAT(readAnswer(block(fixed), best, 4).proposals, SizeIs(1)) << "set by the user";
  EXPECT_THAT(readAnswer(block(kGood), best, 4).proposals, SizeIs(1));
}

TEST(ReadAnswer, SplitsCandidatesAtHeadings) {
  const std::string other = kGood + "\n// another\n";
  const ModelAnswer read = readAnswer("Here they are.\n### Candidate 1: packing\nWhy.\n" +
                                          block(kGood) + "## Candidate 2\n" + block("int x;") +
                                          "**Candidate 3: tiles**\n" + block(other, "c++"),
                                      cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(2));
  EXPECT_EQ(read.proposals[0].title, "packing");
  EXPECT_EQ(read.proposals[1].title, "tiles");
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_THAT(read.rejected[0], HasSubstr("candidate 2: no function kernel"));
}

TEST(ReadAnswer, LimitsNumberOfCandidates) {
  std::string answer;
  for (int i = 0; i < 6; ++i) {
    answer += "### Candidate: x\n" + block(kGood + "//" + std::to_string(i));
  }
  EXPECT_THAT(readAnswer(answer, cpp(), 4).proposals, SizeIs(4));
}

TEST(ReadAnswer, RejectsInvalidCandidates) {
  EXPECT_THAT(rejection("I would tile the loop and use AVX."),
              HasSubstr("no fenced code block found"));
  EXPECT_THAT(rejection(""), HasSubstr("no fenced code block found"));
  EXPECT_THAT(rejection(block("")), HasSubstr("empty"));
  EXPECT_THAT(rejection("```cpp\n" + kGood), HasSubstr("truncated"));
  EXPECT_THAT(rejection("<think>\n" + block(kGood) + "and so on"),
              HasSubstr("ends within its reasoning"));
  EXPECT_THAT(rejection(block("print('x')", "python")), HasSubstr("in C++, got python"));
  EXPECT_THAT(rejection(block("int main() {}")), HasSubstr("no function kernel(...) found"));
  EXPECT_THAT(rejection(block("// kernel(x)\nint y;")), HasSubstr("no function kernel(...) found"));
  EXPECT_THAT(rejection(block("void kernel(const float* X, float* Y, std::int64_t N) {}")),
              HasSubstr("not extern \"C\""));
  EXPECT_THAT(
      rejection(block("extern \"C\" void kernel(float* X, int N) {}")),
      HasSubstr("expected kernel(const float *, float *, int64_t), got kernel(float *, int)"));
  EXPECT_THAT(rejection(block(std::string(300'000, 'x'))), HasSubstr("too large for a kernel"));
  EXPECT_THAT(rejection(block(kGood, "python"), tilelang()), HasSubstr("no class ModelNew"));
  Source same = cpp();
  same.text = kGood + "\n";
  EXPECT_THAT(rejection(block(kGood), same), HasSubstr("identical to the current kernel"));
}

/// Returns the code of the only candidate.
std::string codeIn(const std::string& answer, const Source& kernel = cpp(),
                   const std::vector<std::string>& bases = {}) {
  const ModelAnswer read = readAnswer(answer, kernel, 4, bases);
  EXPECT_THAT(read.rejected, IsEmpty());
  EXPECT_THAT(read.proposals, SizeIs(1));
  return read.proposals.empty() ? "" : read.proposals.front().source.text;
}

TEST(ReadAnswer, UsesLastCompleteFile) {
  const std::string better = kGood + " // better";
  EXPECT_EQ(codeIn(block(kGood) + "Simpler:\n" + block(better)), better + "\n");
  EXPECT_EQ(codeIn(block(kGood) + "The core is\n" + block("for (;;) {}")), kGood + "\n");
  EXPECT_EQ(codeIn(block(kGood) + "or\n```cpp\n" + better), kGood + "\n") << "truncated";
  EXPECT_EQ(codeIn(block(kGood) + block("g++ -O3", "bash") + block("0.1 ms", "")), kGood + "\n");
}

TEST(ReadAnswer, DropsReasoning) {
  const std::string draft = "maybe\n```cpp\nint main() {}\n```\n### Candidate 1: draft\n";
  for (const std::string& answer :
       {"<think>\n" + draft + "</think>\n" + block(kGood),
        "<think>short</think>" + ("\n" + block(kGood)), draft + "</think>\n\n" + block(kGood),
        "<thinking>\n```cpp\nunclosed\n</thinking>\n" + block(kGood),
        "<reasoning>\n" + draft + "</reasoning>Done.\n" + block(kGood),
        "<think>\na\n</think>\nSo:\n<think>\n" + draft + "</think>\n" + block(kGood),
        "<|channel|>analysis<|message|>" + draft + "<|end|><|channel|>final<|message|>\n" +
            block(kGood)}) {
    EXPECT_EQ(codeIn(answer), kGood + "\n") << answer;
  }
  EXPECT_EQ(withoutReasoning("<think>\nwhy\n</think>\nanswer"), "\nanswer\n");
}

TEST(ReadAnswer, AppliesDiffs) {
  const std::string changed =
      "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {\n  // fast\n}\n";
  const std::string hunk = "@@ -2,1 +2,1 @@\n-  // slow\n+  // fast\n";
  EXPECT_EQ(codeIn(block(hunk, "diff")), changed);
  EXPECT_EQ(codeIn(block("--- a/scale.cc\n+++ b/scale.cc\n" + hunk, "cpp")), changed);
  EXPECT_EQ(codeIn(block("--- a/x\n+++ b/x\n-  // slow\n+  // fast", "patch")), changed);
  EXPECT_THAT(rejection(block("@@ -1 +1 @@\n-  // fast\n+  // x\n", "diff")),
              HasSubstr("hunk 1: the kernel has no line '// fast'"));
  const std::vector<std::string> failed = {kGood + "\n// broken\n"};
  EXPECT_EQ(codeIn(block("@@ -2 +2 @@\n-// broken\n+// repaired\n", "diff"), cpp(), failed),
            kGood + "\n// repaired\n");
  EXPECT_EQ(codeIn(block(kGood) + block("@@ -1 +1,2 @@\n " + kGood + "\n+// more\n", "diff")),
            kGood + "\n// more\n")
      << "a diff of the file before it";
}

TEST(ApplyDiff, FindsHunksByContext) {
  const std::string base = "a\nb\nc\nd\nb\ne\n";
  EXPECT_EQ(applyDiff(base, "@@ -5,1 +5,1 @@\n-b\n+B\n"), "a\nb\nc\nd\nB\ne\n");
  EXPECT_EQ(applyDiff(base, "@@ -2,1 +2,1 @@\n-b\n+B\n"), "a\nB\nc\nd\nb\ne\n");
  EXPECT_EQ(applyDiff(base, "@@ @@\n d\n-b\n+B\n"), "a\nb\nc\nd\nB\ne\n");
  EXPECT_EQ(applyDiff(base, "@@ -99,2 +99,2 @@\n c  \n-  d\n+D\n"), "a\nb\nc\nD\nb\ne\n")
      << "wrong number and blanks";
  EXPECT_EQ(applyDiff(base, "@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -5,2 +6,1 @@\n b\n-e\n"),
            "a\nx\nb\nc\nd\nb\n");
  EXPECT_EQ(applyDiff(base, "@@ -6,0 +7,1 @@\n+f\n\\ No newline at end of file\n"), base + "f\n");
  for (const auto& [diff, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "no hunk"},
           {"@@ @@\n-b\n+B\n", "occur several times"},
           {"@@ @@\n+B\n", "no context"},
           {"@@ -1 +1 @@\n a\n-c\n", "do not follow each other"},
           {"@@ -5 +5 @@\n b\n-e\n@@ -1 +1 @@\n-a\n", "hunk 2"}}) {
    const auto applied = applyDiff(base, diff);
    ASSERT_FALSE(applied) << diff;
    EXPECT_THAT(applied.error(), HasSubstr(message));
  }
}

RC_GTEST_PROP(ApplyDiff, RestoresChangedFile, ()) {
  const auto lines = [] {
    std::string text;
    for (const int line : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5))) {
      text += std::to_string(line) + "\n";
    }
    return text;
  };
  const std::string before = lines();
  const std::string after = lines();
  const std::string diff = unifiedDiff(before, after, "x.cc");
  if (!diff.empty()) {
    RC_ASSERT(isDiff(diff));
    RC_ASSERT(applyDiff(before, diff).value_or("none") == after);
  }
}

RC_GTEST_PROP(ApplyDiff, AcceptsAnyText, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "@@", " -1", ",9999999999999999999", " +1 @@", "\n", "--- a\n+++ b\n", "+", "-", " ", "x",
      "\\", "@@ -0,0 +1 @@\n", "-99 ", "\xff"));
  std::string diff;
  for (const std::string& piece : pieces) {
    diff += piece;
  }
  const auto applied = applyDiff("x\n\nx", diff);
  RC_ASSERT(applied.has_value() || !applied.error().empty());
}

TEST(ReadAnswer, IgnoresBlocksInOtherLanguages) {
  const ModelAnswer read = readAnswer(block("g++ -O3", "bash") + block(kGood), cpp(), 4);
  EXPECT_THAT(read.proposals, SizeIs(1));
}

TEST(ReadAnswer, KeepsShorterFencesInCode) {
  const ModelAnswer read = readAnswer("````cpp\n/*\n```\n*/\n" + kGood + "\n````\n", cpp(), 4);
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_THAT(read.proposals[0].source.text, HasSubstr("```"));
}

RC_GTEST_PROP(ReadAnswer, AcceptsOnlySameEntryPoint, ()) {
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
      RC_ASSERT(!entryPointError(*source, proposal.source.text));
      RC_ASSERT(text.find(proposal.source.text.substr(0, proposal.source.text.size() - 1)) !=
                std::string::npos);
    }
  }
}

TEST(EntryPoint, ParsesTypesWithoutNames) {
  const auto point = findEntryPoint(
      "#include <cstdint>\nint a;\nextern \"C\" void kernel(const float *__restrict__ A,\n"
      "    /* b */ std::int64_t N, unsigned int) {\n}\n");
  ASSERT_TRUE(point);
  EXPECT_THAT(point->types, ElementsAre("const float *", "int64_t", "unsigned"));
  EXPECT_TRUE(point->externC);
  EXPECT_EQ(point->declaration,
            "extern \"C\" void kernel(const float *__restrict__ A, /* b */ std::int64_t N, "
            "unsigned int)");
  EXPECT_FALSE(findEntryPoint("void kernel(int N) {}")->externC);
  for (const char* none : {"void mykernel(int x); void kernels(int)", "void kernel(int",
                           "// kernel(int x)\nconst char* a = \"kernel(\";", ""}) {
    EXPECT_FALSE(findEntryPoint(none)) << none;
  }
}

}  // namespace
}  // namespace hone::kernel
