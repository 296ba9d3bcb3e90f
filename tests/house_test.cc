// Checks of the repository itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "include_order.h"
#include "tests/source_folder.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const fs::path& sourceDir() {
  static const fs::path kDir = sourceFolder();
  return kDir;
}

/// A temporary source tree.
class IncludeOrderTree : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = ScratchFolder::create("hone-tree").value(); }
  void add(const fs::path& file, std::string_view text) const {
    fs::create_directories((root() / file).parent_path());
    ASSERT_TRUE(writeFile(root() / file, text));
  }
  [[nodiscard]] const fs::path& root() const { return folder_->path(); }

 private:
  std::optional<ScratchFolder> folder_;
};

TEST(IncludeOrder, HoldsInThisRepository) { EXPECT_THAT(wrongIncludes(sourceDir()), IsEmpty()); }

TEST_F(IncludeOrderTree, AllowsLowerFolders) {
  add("src/engine/a.cc", "#include \"engine/a.h\"\n#include \"base/x.h\"\n#include <engine.h>\n");
  add("src/verify/a.h", "#include \"base/x.h\"\n#include \"model/x.h\"\n");
  add("src/tune/a.h", "#include \"search/x.h\"\n");
  add("src/report/a.h", "#include \"store/x.h\"\n");
  add("src/kernel/judge/a.h", "#include \"kernel/worker/x.h\"\n#include \"engine/x.h\"\n");
  add("src/iree/module/a.h", "#include \"iree/mlir/x.h\"\n#include \"iree/module/x.h\"\n");
  add("src/iree/spec/a.h", "#include \"iree/compile/x.h\"\n#include \"iree/module/x.h\"\n");
  add("src/iree/run/a.h", "#include \"iree/compile/x.h\"\n");
  add("src/iree/module/a_test.cc", "#include \"iree/compile/test_a.h\"\n");
  add("src/split/test_a.h", "#include \"tests/source_folder.h\"\n");
  add("src/iree/compile/test_a.h", "#include \"iree/run/x.h\"\n");
  add("src/engine/b.h", "#include \"iree/run/x.h\"\n#include \"iree/spec/x.h\"\n");
  add("app/main.cc", "#include \"verb.h\"\n#include \"tune/x.h\"\n#include \"report/x.h\"\n");
  EXPECT_THAT(wrongIncludes(root()), IsEmpty());
}

TEST_F(IncludeOrderTree, ReportsEveryWrongInclude) {
  add("app/main.cc", "#include \"../src/base/x.h\"\n");
  add("src/kernel/judge/a.h", "#include \"kernel/turns/x.h\"\n#include \"tune/x.h\"\n");
  add("src/base/a.h", "// first\n#include \"model/x.h\"\n");
  add("src/iree/compile/a.h", "#include \"iree/run/x.h\"\n#include \"iree/spec/x.h\"\n");
  add("src/iree/mlir/a.cc", "#include \"iree/module/x.h\"\n");
  add("src/iree/module/a.cc", "#include \"iree/compile/x.h\"\n");
  add("src/iree/run/a_test.cc", "#include \"engine/x.h\"\n");
  add("src/iree/spec/a.cc", "#include \"iree/run/x.h\"\n");
  add("src/model/a.cc", "#  include \"../engine/x.h\"\n");
  add("src/report/a.cc", "#include \"engine/x.h\"\n");
  add("src/split/a.cc", "#include \"tests/source_folder.h\"\n");
  add("src/split/deep/a.h", "#include \"tune/x.h\"\n");
  add("src/store/a.h", "#include \"a_local.h\"\n");
  add("src/utils/a.h", "");
  add("src/verify/a.h", "#include \"iree/x.h\"\n#include \"stats/x.h\"\n");
  EXPECT_THAT(wrongIncludes(root()),
              ElementsAre("src/base/a.h:2: base may not include model/x.h",
                          "src/iree/compile/a.h:1: iree/compile may not include iree/run/x.h",
                          "src/iree/compile/a.h:2: iree/compile may not include iree/spec/x.h",
                          "src/iree/mlir/a.cc:1: iree/mlir may not include iree/module/x.h",
                          "src/iree/module/a.cc:1: iree/module may not include iree/compile/x.h",
                          "src/iree/run/a_test.cc:1: iree/run may not include engine/x.h",
                          "src/iree/spec/a.cc:1: iree/spec may not include iree/run/x.h",
                          "src/kernel/judge/a.h:1: kernel/judge may not include kernel/turns/x.h",
                          "src/kernel/judge/a.h:2: kernel/judge may not include tune/x.h",
                          "src/model/a.cc:1: model may not include ../engine/x.h",
                          "src/report/a.cc:1: report may not include engine/x.h",
                          "src/split/a.cc:1: split may not include tests/source_folder.h",
                          "src/split/deep/a.h:1: split may not include tune/x.h",
                          "src/store/a.h:1: store may not include a_local.h",
                          "src/utils/a.h: 'utils' is not a folder of the design",
                          "src/verify/a.h:1: verify may not include iree/x.h",
                          "src/verify/a.h:2: verify may not include stats/x.h",
                          "app/main.cc:1: app may not include ../src/base/x.h"));
}

TEST(Pins, MatchBetweenPyprojectAndRequirements) {
  const std::string project = readFile(sourceDir() / "pyproject.toml").value();
  int pins = 0;
  // requirements.txt pins a version of IREE; a wheel accepts older ones, too.
  EXPECT_TRUE(project.contains("\"iree-base-compiler>=3.10\""));
  EXPECT_TRUE(project.contains("\"iree-base-runtime>=3.10\""));
  for (const char* file :
       {"requirements-optional.txt", "requirements-models.txt", "requirements-kernels.txt"}) {
    std::ifstream in(sourceDir() / file);
    for (std::string line; std::getline(in, line);) {
      const std::string pin = line.substr(0, line.find_first_of(" #"));
      if (!pin.empty()) {
        EXPECT_TRUE(project.contains('"' + pin + '"')) << pin << " is not in pyproject.toml";
        ++pins;
      }
    }
  }
  EXPECT_GE(pins, 5);
}

}  // namespace
}  // namespace hone
