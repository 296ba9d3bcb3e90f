#include "profile/roofline/cache_bandwidth.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/machine.h"

namespace hone::profile {
namespace {

namespace fs = std::filesystem;

/// A fake program: the smaller the data, the faster, except for the first level.
class CacheBandwidthTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::uint64_t first = dataCacheBytes(1).value_or(0) / 2;
    ASSERT_TRUE(writeFile(program(), fmt::format(R"sh(#!/bin/sh
echo x >> '{}'
for word in "$@"; do bytes=$word; done
if [ "$bytes" = {} ]; then echo '{{"gbps": 1}}'; else echo "{{\"gbps\": $((1000000000000 / bytes))}}"; fi
)sh",
                                                 (folder_.path() / "asked").string(), first)));
    fs::permissions(program(), fs::perms::owner_all);
  }
  [[nodiscard]] fs::path program() const { return folder_.path() / "program"; }
  [[nodiscard]] std::vector<CacheBandwidth> load(const std::string& version = "1") const {
    const LibraryProvider provider(program(), Limits{std::chrono::seconds(30), 0});
    return loadCacheBandwidths(folder_.path() / "cache", provider, 1, version).value();
  }
  [[nodiscard]] std::size_t timesAsked() const {
    return readFile(folder_.path() / "asked").value_or("").size() / 2;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-caches-test").value();
};

TEST_F(CacheBandwidthTest, MeasuresEveryLevel) {
  const auto caches = load();
  if (!dataCacheBytes(1) || !dataCacheBytes(2)) {
    GTEST_SKIP() << "this machine does not list its caches";
  }
  ASSERT_GE(caches.size(), 2U);
  EXPECT_EQ(caches[0].bytes, static_cast<double>(*dataCacheBytes(1)));
  EXPECT_EQ(caches[0].gbps, caches[1].gbps) << "no slower than the second level";
  for (std::size_t i = 1; i < caches.size(); ++i) {
    EXPECT_GT(caches[i].bytes, caches[i - 1].bytes);
    EXPECT_LE(caches[i].gbps, caches[i - 1].gbps);
  }
}

TEST_F(CacheBandwidthTest, MeasuresOncePerKey) {
  const auto first = load();
  const std::size_t asked = timesAsked();
  EXPECT_EQ(load(), first);
  EXPECT_EQ(timesAsked(), asked);
  EXPECT_EQ(load("2"), first);
  EXPECT_EQ(timesAsked(), 2 * asked);
}

TEST_F(CacheBandwidthTest, ReplacesDamagedFile) {
  const auto first = load();
  const fs::path file = *fs::directory_iterator(folder_.path() / "cache");
  const std::string good = readFile(file).value();
  for (const std::string& damaged :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() / 2)}) {
    ASSERT_TRUE(writeFile(file, damaged));
    EXPECT_EQ(load(), first);
    EXPECT_EQ(readFile(file).value(), good);
  }
}

}  // namespace
}  // namespace hone::profile
