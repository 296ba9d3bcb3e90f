#include "tune/proof/spec_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/spec/test_specs.h"

namespace hone::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FileBeside, ContainsProgramLabel) {
  EXPECT_EQ(fileBeside("out/spec.mlir", "", "preprocessing.mlir"), "out/spec.preprocessing.mlir");
  EXPECT_EQ(fileBeside("spec.mlir", "conv@main", "mlir"), "spec.conv_main.mlir");
  EXPECT_EQ(fileBeside("a.mlir.d/spec", "b", "mlir"), "a.mlir.d/spec.b.mlir");
}

class SpecFilesTest : public iree::SpecTest {
 protected:
  /// Returns a spec for a matmul with this number of rows.
  ProgramSpec spec(const std::string& label, int rows, const std::string& distribution) {
    const auto program = request(iree::matmulFunction("main", rows, 64, 32));
    const iree::SpecEntry entry{fmt::format("match_{}", rows), "", matcherIn(program).matcher,
                                iree::cpuInfo(distribution, "8, 16, 0", "0, 0, 1")};
    return {label, fmt::format("// for {}\n", label), iree::specText(std::span(&entry, 1)).value(),
            program};
  }
};

TEST_F(SpecFilesTest, MergesCompatibleSpecsWithAllHeaders) {
  const std::vector<ProgramSpec> programs = {
      spec("a", 128, "32, 32, 0"), {"b", "", "", {}}, spec("c", 96, "32, 32, 0")};
  const auto files = specFiles(compiler_, programs, "spec.mlir").value();
  EXPECT_THAT(files.specPaths, ElementsAre("spec.mlir", "", "spec.mlir"));
  ASSERT_EQ(files.files.size(), 1u);
  EXPECT_THAT(files.files[0].text, AllOf(HasSubstr("// for a\n// for c\n"), HasSubstr("match_128"),
                                         HasSubstr("match_96")));
  EXPECT_TRUE(files.conflicts.empty());
}

TEST_F(SpecFilesTest, SeparatesConflictingSpec) {
  const std::vector<ProgramSpec> programs = {
      spec("a", 128, "32, 32, 0"), spec("b", 128, "64, 64, 0"), spec("c", 128, "32, 32, 0")};
  const auto files = specFiles(compiler_, programs, "spec.mlir").value();
  EXPECT_THAT(files.specPaths, ElementsAre("spec.mlir", "spec.b.mlir", "spec.mlir"));
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_EQ(files.files[1].text, programs[1].header + programs[1].text)
      << "must be the proven text";
  EXPECT_THAT(files.conflicts, ElementsAre(AllOf(HasSubstr("b is not"), HasSubstr("two ways"),
                                                 HasSubstr("spec.b.mlir"))));
}

/// An entry of one program must not apply to an untuned dispatch of another, which would be
/// unproven.
TEST_F(SpecFilesTest, SeparatesSpecThatAffectsAnotherProgram) {
  ProgramSpec two = spec("two", 128, "32, 32, 0");
  two.request = request(iree::matmulFunction("main", 128, 64, 32) +
                        iree::matmulFunction("other", 96, 64, 32));
  const ProgramSpec one = spec("one", 96, "32, 32, 0");
  const ProgramSpec third = spec("third", 80, "32, 32, 0");
  const std::vector<ProgramSpec> inOrder = {two, one, third};
  const auto files = specFiles(compiler_, inOrder, "spec.mlir").value();
  EXPECT_THAT(files.specPaths, ElementsAre("spec.mlir", "spec.one.mlir", "spec.mlir"));
  EXPECT_THAT(files.conflicts, ElementsAre(AllOf(HasSubstr("would change other_dispatch_0"),
                                                 HasSubstr("of two"), HasSubstr("spec.one.mlir"))));
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_FALSE(files.files[0].text.contains("match_96"));
  const std::vector<ProgramSpec> turned = {one, two};
  EXPECT_THAT(specFiles(compiler_, turned, "spec.mlir")->specPaths,
              ElementsAre("spec.mlir", "spec.two.mlir"));
}

TEST_F(SpecFilesTest, WritesNoFileWithoutSpecs) {
  const std::vector<ProgramSpec> programs = {{"a", "", "", {}}};
  EXPECT_TRUE(specFiles(compiler_, programs, "spec.mlir")->files.empty());
}

}  // namespace
}  // namespace hone::tune
