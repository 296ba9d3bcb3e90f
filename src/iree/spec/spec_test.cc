#include "iree/spec/spec.h"

#include "iree/spec/test_specs.h"

namespace hone::iree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kInfo = cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 1");
const std::string kAny =
    "transform.match.operation_name %op [\"linalg.matmul\"] : !transform.any_op";

TEST(SpecTextTest, RejectsEmptySpecAndDuplicateNames) {
  EXPECT_FALSE(specText(std::vector<SpecEntry>{}));
  const std::vector<SpecEntry> twins = {{"a b", "", kAny, kInfo}, {"a_b", "", kAny, kInfo}};
  const auto text = specText(twins);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("'a_b'"));
}

TEST(SpecTextTest, DescribesTheMatchedOperation) {
  const Matched matmul{"contraction",
                       "linalg.matmul",
                       {"f32", "f32", "f32"},
                       {{"batch", {}}, {"m", {512}}, {"n", {768}}, {"k", {16, 8}}}};
  EXPECT_EQ(shown(matmul), "contraction m=512 n=768 k=16x8, f32 f32 f32");
  const Matched conv{
      "convolution", "", {}, {{"filter", {3, 3}}, {"strides", {2, 2}}, {"dilations", {1, 1}}}};
  EXPECT_EQ(shown(conv), "convolution filter=3x3 strides=2x2");
  EXPECT_EQ(shown({"dag", "linalg.generic", {"tensor<4xf32>"}, {}}),
            "linalg.generic, tensor<4xf32>");
  EXPECT_EQ(shown({"other", "", {}, {}}), "an operation");
}

TEST_F(SpecTest, ReadsBackWhatItWrites) {
  const std::vector<SpecEntry> entries = {
      {"match 1st", "Every matmul.\n1.5x faster.", kAny, kInfo},
      {"2nd", "", kAny, cpuInfo("64, 64, 0", "8, 16, 0", "0, 0, 1")}};
  const Spec spec = makeSpec(entries);
  ASSERT_EQ(spec.entries.size(), 2u);
  EXPECT_EQ(spec.entries[0].name, "match_1st");
  EXPECT_EQ(spec.entries[0].comment, "Every matmul.\n1.5x faster.");
  EXPECT_EQ(spec.entries[0].action, kApplyConfig);
  EXPECT_EQ(spec.entries[0].matched.op, "linalg.matmul");
  EXPECT_EQ(spec.entries[0].config, kInfo);
  EXPECT_EQ(shownConfig(spec.entries[0]),
            "DoubleTilingExpert, distribution = [32, 32, 0], vector_common_parallel = [8, 16, 0], "
            "vector_reduction = [0, 0, 1]");
  EXPECT_EQ(spec.entries[1].name, "_2nd");
  EXPECT_EQ(spec.entries[1].comment, "");
  EXPECT_EQ(spec.entries[0].key, spec.entries[1].key) << "they match the same";
  EXPECT_THAT(spec.entryPoints, ElementsAre("__kernel_config"));
  EXPECT_THAT(spec.helpers, IsEmpty());
}

TEST_F(SpecTest, ConfiguresCompanionsInTheSameFunction) {
  const std::string config = "#iree_cpu.lowering_config<vector_common_parallel = [4]>";
  std::vector<SpecEntry> entries = {{"plain", "", kAny, kInfo}, {"with", "", kAny, kInfo}};
  entries[1].companions = {{"linalg.generic#0", config}, {"linalg.generic#2", config}};
  const std::string text = specText(entries).value();
  EXPECT_THAT(text, HasSubstr("%each0:32")) << "more results than operations are accepted";
  EXPECT_THAT(text, Not(HasSubstr("overflow_result"))) << "the compiler would abort";
  EXPECT_THAT(text, HasSubstr("transform.annotate %each0#2 \"lowering_config\""));
  EXPECT_THAT(text, Not(HasSubstr("%each0#1")));
  const Spec spec = makeSpec(entries);
  ASSERT_EQ(spec.entries.size(), 2u);
  EXPECT_EQ(spec.entries[0].action, kApplyConfig);
  EXPECT_EQ(spec.entries[1].action, "apply_with");
  EXPECT_EQ(spec.entries[1].config, kInfo);
}

TEST_F(SpecTest, WritesDecompositionConfigOfAttention) {
  const std::string products = "{qk_attrs = {attention_qk_matmul}}";
  const std::vector<SpecEntry> entries = {{"plain", "", kAny, kInfo},
                                          {"attention", "", kAny, kInfo, products}};
  const std::string text = specText(entries).value();
  EXPECT_THAT(text, HasSubstr("\"decomposition_config\" = %products"));
  EXPECT_THAT(text, HasSubstr("%products = transform.param.constant " + products));
  const Spec spec = makeSpec(entries);
  ASSERT_EQ(spec.entries.size(), 2u);
  EXPECT_EQ(spec.entries[0].action, kApplyConfig);
  EXPECT_EQ(spec.entries[1].action, "apply_attention_config");
  EXPECT_EQ(spec.entries[1].config, kInfo);
}

TEST_F(SpecTest, ReportsSpecOfAnotherCompilerVersion) {
  const std::vector<SpecEntry> entries = {
      {"old", "", "transform.iree.match.nothing_like_it %op : !transform.any_op", kInfo}};
  const auto operation = readSpec(compiler_, file(specText(entries).value()));
  ASSERT_FALSE(operation);
  EXPECT_EQ(operation.error().fault, Fault::user);
  EXPECT_THAT(operation.error().message, HasSubstr("nothing_like_it"));
  EXPECT_THAT(operation.error().message, HasSubstr(".spec.mlir:"));
  EXPECT_THAT(operation.error().message, Not(HasSubstr("another version")))
      << "no version has this operation";

  // The former syntax of pipelines.
  const std::vector<SpecEntry> older = {
      {"old", "", kAny,
       "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes "
       "= [[8]]>, translation_info = <pipeline = CPUDoubleTilingExpert>>"}};
  const auto attribute = readSpec(compiler_, file(specText(older).value()));
  ASSERT_FALSE(attribute);
  EXPECT_THAT(attribute.error().message, HasSubstr("another version of the compiler"));
  EXPECT_THAT(attribute.error().message, HasSubstr("hone spec upgrade"));
}

TEST_F(SpecTest, RejectsFilesThatAreNotSpecs) {
  const auto missing = readSpec(compiler_, folder_.path() / "none.mlir");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("none.mlir"));
  const auto garbage = readSpec(compiler_, file("nonsense"));
  ASSERT_FALSE(garbage);
  EXPECT_THAT(garbage.error().message, Not(HasSubstr("another version")));
  const auto binary = readSpec(compiler_, file(std::string(100, '\0')));
  ASSERT_FALSE(binary);
  EXPECT_THAT(binary.error().message, HasSubstr("is a binary file; expected text"));
  const auto program = readSpec(compiler_, file("func.func @f() {\n  return\n}\n"));
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, HasSubstr("is not a tuning spec"));
  EXPECT_THAT(program.error().message, HasSubstr("tuning_spec_entrypoint"));
  // The compiler's own verifier reports a missing entry point.
  std::string text = specText(std::vector<SpecEntry>{{"a", "", kAny, kInfo}}).value();
  text.replace(text.find("@__kernel_config"), 16, "@other_name_here");
  const auto unnamed = readSpec(compiler_, file(text));
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().message, HasSubstr("__kernel_config"));
}

TEST(SpecCommentsTest, AssignsCommentsToTheNextSequence) {
  const auto comments = commentsIn(
      "// Of the file.\nmodule {\n"
      "  // One.\n  //\n  // Two.\n  transform.named_sequence @a(%x: t) {\n"
      "  // inside\n  }\n"
      "  // Three.\n  transform.named_sequence\n  @b.c(%x: t)\n  {}\n"
      "  transform.named_sequence @d(%x: t)\n}\n");
  EXPECT_THAT(comments,
              ElementsAre(::testing::Pair("a", "One.\n\nTwo."), ::testing::Pair("b.c", "Three.")));
}

TEST(SpecCommentsTest, HandlesVeryLongLines) {
  const std::string name(1'000'000, 'x');
  EXPECT_THAT(commentsIn("// One.\ntransform.named_sequence @" + name + " " + name + "(%x: t)\n"),
              ::testing::IsEmpty());
  EXPECT_THAT(commentsIn("// One.\ntransform.named_sequence @" + name + "(%x: t)\n"),
              ElementsAre(::testing::Pair(name, "One.")));
}

}  // namespace
}  // namespace hone::iree
