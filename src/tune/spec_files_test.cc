#include "tune/spec_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/test_specs.h"

namespace hone::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FileBeside, HasTheLabelOfItsProgram) {
  EXPECT_EQ(fileBeside("out/spec.mlir", "", "preprocessing.mlir"), "out/spec.preprocessing.mlir");
  EXPECT_EQ(fileBeside("spec.mlir", "conv@main", "mlir"), "spec.conv_main.mlir");
  EXPECT_EQ(fileBeside("a.mlir.d/spec", "b", "mlir"), "a.mlir.d/spec.b.mlir");
}

class SpecFilesTest : public iree::SpecTest {
 protected:
  /// A spec for a matmul of these rows.
  ProgramSpec spec(const std::string& label, int rows, const std::string& distribution) {
    const auto matcher = matcherIn(request(iree::matmulFunction("main", rows, 64, 32)));
    const iree::SpecEntry entry{fmt::format("match_{}", rows), "", matcher.matcher,
                                iree::cpuInfo(distribution, "8, 16, 0", "0, 0, 1")};
    return {label, fmt::format("// for {}\n", label), iree::specText(std::span(&entry, 1)).value()};
  }
};

TEST_F(SpecFilesTest, ThoseThatAgreeAreOneFileWithAllHeaders) {
  const std::vector<ProgramSpec> programs = {
      spec("a", 128, "32, 32, 0"), {"b", "", ""}, spec("c", 96, "32, 32, 0")};
  const auto files = specFiles(compiler_, programs, "spec.mlir").value();
  EXPECT_THAT(files.fileOf, ElementsAre("spec.mlir", "", "spec.mlir"));
  ASSERT_EQ(files.files.size(), 1u);
  EXPECT_THAT(files.files[0].text, AllOf(HasSubstr("// for a\n// for c\n"), HasSubstr("match_128"),
                                         HasSubstr("match_96")));
  EXPECT_TRUE(files.conflicts.empty());
}

TEST_F(SpecFilesTest, OneThatConflictsHasAFileOfItsOwn) {
  const std::vector<ProgramSpec> programs = {
      spec("a", 128, "32, 32, 0"), spec("b", 128, "64, 64, 0"), spec("c", 128, "32, 32, 0")};
  const auto files = specFiles(compiler_, programs, "spec.mlir").value();
  EXPECT_THAT(files.fileOf, ElementsAre("spec.mlir", "spec.b.mlir", "spec.mlir"));
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_EQ(files.files[1].text, programs[1].header + programs[1].text) << "as it was proven";
  EXPECT_THAT(files.conflicts, ElementsAre(AllOf(HasSubstr("b wants"), HasSubstr("spec.b.mlir"))));
}

TEST_F(SpecFilesTest, WithoutSpecsThereIsNoFile) {
  const std::vector<ProgramSpec> programs = {{"a", "", ""}};
  EXPECT_TRUE(specFiles(compiler_, programs, "spec.mlir")->files.empty());
}

}  // namespace
}  // namespace hone::tune
