#include "iree/compile/cache/flag_files.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::iree {
namespace {

std::string computeKey(const std::string& flag) {
  Hasher hasher;
  addFlag(hasher, flag);
  return hasher.hex();
}

TEST(FlagFiles, EditedFileChangesTheKey) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags").value();
  const std::string file = (folder.path() / "script.mlir").string();
  const std::string flag = "--iree-preprocessing-transform-spec-filename=" + file;
  const std::string none = computeKey(flag);
  ASSERT_TRUE(writeFile(file, "one"));
  const std::string one = computeKey(flag);
  EXPECT_NE(one, none);
  EXPECT_EQ(one, computeKey(flag));
  ASSERT_TRUE(writeFile(file, "two"));
  EXPECT_NE(computeKey(flag), one);
}

TEST(FlagFiles, IgnoresDumpedFiles) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags").value();
  const std::string file = (folder.path() / "statistics.txt").string();
  const std::string flag = "--iree-scheduling-dump-statistics-file=" + file;
  const std::string before = computeKey(flag);
  ASSERT_TRUE(writeFile(file, "one"));
  EXPECT_EQ(computeKey(flag), before);
  EXPECT_NE(computeKey("--iree-opt-data-tiling"), before);
}

}  // namespace
}  // namespace hone::iree
