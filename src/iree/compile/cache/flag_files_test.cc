#include "iree/compile/cache/flag_files.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::iree {
namespace {

std::string keyOf(const std::string& flag) {
  Hasher hasher;
  addFlag(hasher, flag);
  return hasher.hex();
}

TEST(FlagFiles, EditedFileChangesTheKey) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags").value();
  const std::string file = (folder.path() / "script.mlir").string();
  const std::string flag = "--iree-preprocessing-transform-spec-filename=" + file;
  const std::string none = keyOf(flag);
  ASSERT_TRUE(writeFile(file, "one"));
  const std::string one = keyOf(flag);
  EXPECT_NE(one, none);
  EXPECT_EQ(one, keyOf(flag));
  ASSERT_TRUE(writeFile(file, "two"));
  EXPECT_NE(keyOf(flag), one);
}

TEST(FlagFiles, IgnoresDumpedFiles) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags").value();
  const std::string file = (folder.path() / "statistics.txt").string();
  const std::string flag = "--iree-scheduling-dump-statistics-file=" + file;
  const std::string before = keyOf(flag);
  ASSERT_TRUE(writeFile(file, "one"));
  EXPECT_EQ(keyOf(flag), before);
  EXPECT_NE(keyOf("--iree-opt-data-tiling"), before);
}

}  // namespace
}  // namespace hone::iree
