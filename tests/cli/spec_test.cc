// Tests of `hone spec`: show, check, merge, apply and upgrade.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns a spec with one entry for contractions of these sizes, as hone writes it.
std::string specFor(const std::string& entry, int m, int n, int k, int tile) {
  return fmt::format(
      R"(module @spec attributes {{iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence}} {{
  transform.named_sequence @apply_op_config(%op: !transform.any_op {{transform.readonly}}, %config: !transform.any_param {{transform.readonly}}) {{
    transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
    transform.yield
  }}
  // 1.5x faster.
  transform.named_sequence @{entry}(%op: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param) {{
    %batch, %m, %n, %k = transform.iree.match.contraction %op,
      lhs_type = f32, rhs_type = f32, output_type = f32 : !transform.any_op -> !transform.param<i64>
    transform.iree.match.dims_equal %m, [{m}] : !transform.param<i64>
    transform.iree.match.dims_equal %n, [{n}] : !transform.param<i64>
    transform.iree.match.dims_equal %k, [{k}] : !transform.param<i64>
    %config = transform.param.constant #iree_codegen.compilation_info<
      lowering_config = #iree_cpu.lowering_config<distribution = [{tile}, {tile}, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 1]>,
      translation_info = <pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>> -> !transform.any_param
    transform.yield %op, %config : !transform.any_op, !transform.any_param
  }}
  transform.named_sequence @__kernel_config(%module: !transform.any_op {{transform.consumed}}) -> !transform.any_op attributes {{iree_codegen.tuning_spec_entrypoint}} {{
    %updated = transform.foreach_match in %module @{entry} -> @apply_op_config : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }}
}}
)",
      fmt::arg("entry", entry), fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k),
      fmt::arg("tile", tile));
}

class SpecCommand : public testing::Test {
 protected:
  void SetUp() override {
    box_.write("m.mlir", matmulText(64, 96, 128));
    box_.write("a.mlir", specFor("small", 64, 96, 128, 16));
    box_.write("b.mlir", specFor("other", 64, 96, 128, 32));
    box_.write("c.mlir", specFor("larger", 128, 96, 128, 32));
  }

  Sandbox box_;
};

TEST_F(SpecCommand, ShowsEntries) {
  const CommandResult ran = box_.hone({"spec", "show", "a.mlir"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("small"), HasSubstr("contraction m=64 n=96 k=128"),
                             HasSubstr("DoubleTilingExpert")));
  const nlohmann::json entry =
      box_.hone({"spec", "show", "a.mlir", "--json"}).json().at("entries").at(0);
  EXPECT_EQ(entry.at("entry"), "small");
  EXPECT_EQ(entry.at("comment"), "1.5x faster.");
  EXPECT_EQ(entry.at("sizes").at("m"), nlohmann::json({64}));
  EXPECT_EQ(entry.at("types"), nlohmann::json({"f32", "f32", "f32"}));
}

TEST_F(SpecCommand, ChecksEntriesOnProgram) {
  const CommandResult fits = box_.hone({"spec", "check", "a.mlir", "m.mlir"});
  EXPECT_EQ(fits.code, 0) << fits.out << fits.err;
  EXPECT_THAT(fits.out, HasSubstr("_dispatch_0"));
  const CommandResult nothing = box_.hone({"spec", "check", "c.mlir", "m.mlir"});
  EXPECT_EQ(nothing.code, 1) << nothing.err;
  EXPECT_THAT(nothing.out,
              AllOf(HasSubstr("no matching operation"), HasSubstr("m is 64 instead of 128")));
  const nlohmann::json missed = box_.hone({"spec", "check", "c.mlir", "m.mlir", "--json"}).json();
  const nlohmann::json& closest = missed.at("entries").at(0).at("closest");
  EXPECT_EQ(closest.at("differences").at(0).at("part"), "dimension");
  EXPECT_EQ(closest.at("differences").at(0).at("what"), "m");
  const nlohmann::json json = box_.hone({"spec", "check", "a.mlir", "m.mlir", "--json"}).json();
  EXPECT_EQ(json.at("good"), true);
  EXPECT_EQ(json.at("entries").at(0).at("uses").at(0).at("configured"), true);
}

TEST_F(SpecCommand, MergesTwoSpecs) {
  const CommandResult two = box_.hone({"spec", "merge", "a.mlir", "c.mlir", "-o", "ac.mlir"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(box_.hone({"spec", "show", "ac.mlir", "--json"}).json().at("entries").size(), 2U);
  const CommandResult same =
      box_.hone({"spec", "merge", "ac.mlir", "a.mlir", "-o", "aca.mlir", "--json"});
  EXPECT_EQ(same.json().at("equal"), 1);
  EXPECT_EQ(same.json().at("entries"), 2);

  const CommandResult conflict = box_.hone({"spec", "merge", "a.mlir", "b.mlir", "-o", "ab.mlir"});
  EXPECT_EQ(conflict.code, 1);
  EXPECT_THAT(conflict.err, AllOf(HasSubstr("@small in a.mlir"), HasSubstr("@other in b.mlir")));
  EXPECT_FALSE(fs::exists(box_.work() / "ab.mlir"));
  const CommandResult decided =
      box_.hone({"spec", "merge", "a.mlir", "b.mlir", "-o", "ab.mlir", "--prefer", "b"});
  EXPECT_EQ(decided.code, 0) << decided.err;
  EXPECT_EQ(box_.hone({"spec", "show", "ab.mlir", "--json"}).json().at("entries").at(0).at("entry"),
            "other");
}

TEST_F(SpecCommand, CompilesWithSpec) {
  const CommandResult ran = box_.hone(
      {"spec", "apply", "m.mlir", "--spec", "a.mlir", "-o", "m.vmfb", "--", "--iree-opt-level=O2"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("code differs from the default"));
  EXPECT_GT(fs::file_size(box_.work() / "m.vmfb"), 0U);
  const CommandResult unused =
      box_.hone({"spec", "apply", "m.mlir", "--spec", "c.mlir", "-o", "n.vmfb"});
  EXPECT_EQ(unused.code, 1);
  EXPECT_THAT(unused.out, HasSubstr("same code as without the spec"));
}

TEST_F(SpecCommand, UpgradesSpecOfAnotherVersion) {
  std::string old = specFor("small", 64, 96, 128, 16);
  const auto replace = [&](const std::string& before, const std::string& now) {
    old.replace(old.find(before), before.size(), now);
  };
  replace(
      "#iree_cpu.lowering_config<distribution = [16, 16, 0], vector_common_parallel = [8, 16, 0], "
      "vector_reduction = [0, 0, 1]>",
      "#iree_codegen.lowering_config<tile_sizes = [[16, 16, 0], [8, 16, 0], [0, 0, 1]]>");
  replace("#iree_cpu.pipeline<DoubleTilingExpert>", "CPUDoubleTilingExpert");
  box_.write("old.mlir", old);
  expectError(box_.hone({"spec", "check", "old.mlir", "m.mlir"}), 2,
              {"another version of the compiler", "hone spec upgrade"});
  const CommandResult ran = box_.hone({"spec", "upgrade", "old.mlir", "m.mlir", "-o", "new.mlir"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("pipeline CPUDoubleTilingExpert is"),
                             HasSubstr("the program compiles with the spec")));
  EXPECT_EQ(box_.hone({"spec", "check", "new.mlir", "m.mlir"}).code, 0);
  const CommandResult again = box_.hone({"spec", "upgrade", "new.mlir"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("small: unchanged"));
  EXPECT_THAT(again.out, HasSubstr("// 1.5x faster.")) << "written to stdout";
  EXPECT_EQ(box_.hone({"spec", "upgrade", "c.mlir", "m.mlir", "--json"}).code, 1)
      << "matches nothing in the program";
  expectError(box_.hone({"spec", "upgrade", "m.mlir"}), 2, {"m.mlir", "transform.named_sequence"});
  expectError(box_.hone({"spec", "upgrade", "none.mlir"}), 2, {"none.mlir"});
}

TEST_F(SpecCommand, RejectsInvalidSpecs) {
  expectError(box_.hone({"spec", "show", "none.mlir"}), 2, {"none.mlir"});
  expectError(box_.hone({"spec", "show", "m.mlir"}), 2, {"m.mlir", "is not a tuning spec"});
  std::string old = specFor("old", 64, 96, 128, 16);
  old.replace(old.find("match.contraction"), 17, "match.conjunction");
  box_.write("old.mlir", old);
  const CommandResult unknown = box_.hone({"spec", "check", "old.mlir", "m.mlir"});
  expectError(unknown, 2, {"old.mlir:8:"});
  EXPECT_THAT(unknown.err, Not(HasSubstr("another version"))) << "a typo is no other version";
  expectError(box_.hone({"spec", "merge", "a.mlir", "b.mlir", "-o", "x.mlir", "--prefer", "mine"}),
              2, {"--prefer", "'mine'"});
  expectError(box_.hone({"spec", "check", "a.mlir", "m.mlir", "stray"}), 2, {"'stray'", "--"});
  box_.write("broken.mlir", "func.func @f( {");
  expectError(box_.hone({"spec", "check", "a.mlir", "broken.mlir"}), 2, {"broken.mlir"});
}

}  // namespace
}  // namespace hone::test
