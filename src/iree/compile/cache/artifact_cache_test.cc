#include "iree/compile/cache/artifact_cache.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"

namespace hone::iree {
namespace {

namespace fs = std::filesystem;

class ArtifactCacheTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path keep(const std::string& content) const {
    const fs::path temporary = cache_.temporaryPath(key_, "vmfb").value();
    EXPECT_TRUE(writeFile(temporary, content));
    return cache_.keep(temporary, key_, "vmfb").value();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-cache").value();
  ArtifactCache cache_{folder_.path()};
  std::string key_ = hashBytes("inputs");
};

TEST_F(ArtifactCacheTest, FindsKeptEntries) {
  EXPECT_FALSE(cache_.has(key_, "vmfb"));
  EXPECT_FALSE(cache_.isDamaged(key_, "vmfb"));
  const fs::path entry = keep("module");
  EXPECT_EQ(entry, cache_.pathFor(key_, "vmfb"));
  EXPECT_TRUE(cache_.has(key_, "vmfb"));
  EXPECT_FALSE(cache_.has(key_, "reply"));
}

TEST_F(ArtifactCacheTest, DamagedEntriesAreMissingUntilReplaced) {
  const fs::path entry = keep("module");
  for (const char* damaged : {"", "mod", "modulE", "module and more"}) {
    ASSERT_TRUE(writeFile(entry, damaged));
    EXPECT_FALSE(cache_.has(key_, "vmfb")) << damaged;
    EXPECT_TRUE(cache_.isDamaged(key_, "vmfb")) << damaged;
    EXPECT_EQ(keep("module"), entry);
    EXPECT_TRUE(cache_.has(key_, "vmfb"));
  }
  fs::remove(entry.string() + ".sum");
  EXPECT_FALSE(cache_.has(key_, "vmfb")) << "no checksum";
}

TEST_F(ArtifactCacheTest, RefusesInvalidKeys) {
  EXPECT_FALSE(cache_.has("", "vmfb"));
  EXPECT_FALSE(cache_.has("../../../../../../etc/passwd", "vmfb"));
}

}  // namespace
}  // namespace hone::iree
