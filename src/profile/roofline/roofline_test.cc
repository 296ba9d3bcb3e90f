#include "profile/roofline/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace hone::profile {
namespace {

namespace fs = std::filesystem;
using model::ElementType;
using ::testing::HasSubstr;

/// A fake library without bf16 support. An f32 matmul takes 1 ms of CPU time and 2 ms of wall time,
/// an i8 matmul a quarter of it. The other repetitions are disturbed.
constexpr const char* kLibrary = R"sh(
for word in "$@"; do repetitions=$word; done
answer() {
  cpu=$1 wall=$(($1 * 2)) i=1
  while [ $i -lt $repetitions ]; do cpu=$cpu,9e9 wall=$wall,9e9 i=$((i + 1)); done
  printf '{"wall_ns":[%s],"cpu_ns":[%s],' $wall $cpu
  echo '"implementation":"x","moves":0,"weights_prepacked":true}'
}
case "$*" in
*--triad*) echo '{"gbps": 12.5}' ;;
*bf16*) echo '{"unsupported": "no bf16"}' ;;
*i8*) answer 250000 ;;
*) answer 1000000 ;;
esac
)sh";

/// Fixture with that library, which counts its calls.
class RooflineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string count =
        fmt::format("#!/bin/sh\necho x >> '{}'\n", (folder_.path() / "asked").string());
    ASSERT_TRUE(writeFile(program(), count + kLibrary));
    fs::permissions(program(), fs::perms::owner_all);
  }

  [[nodiscard]] fs::path program() const { return folder_.path() / "program"; }
  [[nodiscard]] fs::path cache() const { return folder_.path() / "cache"; }
  [[nodiscard]] LibraryProvider provider() const {
    return {program(), Limits{std::chrono::seconds(30), 0}};
  }
  [[nodiscard]] std::size_t timesAsked() const {
    return readFile(folder_.path() / "asked").value_or("").size() / 2;
  }
  [[nodiscard]] Roofline of(ElementType type, int threads = 1,
                            const std::string& version = "1") const {
    return loadRoofline(cache(), provider(), type, threads, version).value();
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(cache()), fs::directory_iterator()};
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-roofline-test").value();
};

constexpr double kFlops = 2.0 * 1024 * 1024 * 1024;

TEST_F(RooflineTest, MeasuresBestMatmulAndBandwidth) {
  EXPECT_EQ(of(ElementType::f32), (Roofline{kFlops / 1e6, 12.5}));
  EXPECT_EQ(of(ElementType::f32, 2), (Roofline{kFlops / 2e6, 12.5}));
  EXPECT_EQ(of(ElementType::i8), (Roofline{kFlops / 250e3, 12.5}));
}

TEST_F(RooflineTest, DerivesUnsupportedTypesFromF32) {
  EXPECT_EQ(of(ElementType::bf16).gflops, kFlops / 1e6);
  EXPECT_EQ(of(ElementType::f16).gflops, kFlops / 1e6);
  EXPECT_EQ(of(ElementType::i32).gflops, kFlops / 1e6);
  EXPECT_EQ(of(ElementType::f64).gflops, kFlops / 2e6);
}

TEST_F(RooflineTest, MeasuresOncePerKey) {
  const Roofline first = of(ElementType::f32);
  const std::size_t asked = timesAsked();
  EXPECT_EQ(of(ElementType::f32), first);
  EXPECT_EQ(timesAsked(), asked);
  (void)of(ElementType::f32, 2);
  EXPECT_EQ(timesAsked(), 2 * asked);
  (void)of(ElementType::f32, 1, "2");
  EXPECT_EQ(timesAsked(), 3 * asked);
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(RooflineTest, ReadsFileOncePerRunAndType) {
  const LibraryProvider library = provider();
  Rooflines rooflines(cache(), library, 1, "1");
  const Roofline first = rooflines.of(ElementType::f32).value();
  EXPECT_EQ(first, (Roofline{kFlops / 1e6, 12.5}));
  const std::size_t asked = timesAsked();
  fs::remove_all(cache());
  EXPECT_EQ(rooflines.of(ElementType::f32).value(), first);
  EXPECT_EQ(timesAsked(), asked);
  EXPECT_FALSE(fs::exists(cache()));
  EXPECT_EQ(rooflines.of(ElementType::f64).value().gflops, kFlops / 2e6);
}

TEST_F(RooflineTest, ReplacesDamagedFile) {
  const Roofline first = of(ElementType::f32);
  const fs::path file = files().front();
  const std::string good = readFile(file).value();
  std::string zero = good;
  zero.replace(zero.find("12.5"), 4, "0.00");
  std::string other = good;
  other.replace(other.find("\"threads\": 1"), 12, "\"threads\": 7");
  std::size_t asked = timesAsked();
  for (const std::string& damaged :
       {std::string(), good.substr(0, good.size() / 2), std::string("[]"), std::string("{}"), zero,
        other, std::string("\xff\xfe")}) {
    ASSERT_TRUE(writeFile(file, damaged));
    EXPECT_EQ(of(ElementType::f32), first);
    EXPECT_GT(timesAsked(), asked) << damaged;
    asked = timesAsked();
    EXPECT_EQ(readFile(file).value(), good) << "the file is replaced";
  }
}

TEST_F(RooflineTest, ToleratesUnwritableCache) {
  ASSERT_TRUE(writeFile(cache(), "a file, not a folder"));
  EXPECT_EQ(of(ElementType::f32), (Roofline{kFlops / 1e6, 12.5}));
}

TEST_F(RooflineTest, DoesNotCacheFailures) {
  ASSERT_TRUE(writeFile(program(), "#!/bin/sh\nkill -SEGV $$\n"));
  fs::permissions(program(), fs::perms::owner_all);
  const auto roofline = loadRoofline(cache(), provider(), ElementType::f32, 1, "1");
  ASSERT_FALSE(roofline);
  EXPECT_EQ(roofline.error().fault, Fault::machine);
  EXPECT_THAT(roofline.error().message, HasSubstr("SIGSEGV"));
  EXPECT_FALSE(fs::exists(cache()));
}

TEST(Attainable, IsLimitedByPeakOrBandwidth) {
  const Roofline roofline{100, 10};
  EXPECT_DOUBLE_EQ(attainable(roofline, 1e9, 1e6), 100);
  EXPECT_DOUBLE_EQ(attainable(roofline, 1e6, 1e6), 10);
  EXPECT_DOUBLE_EQ(attainable(roofline, 1e6, 4e6), 2.5);
  EXPECT_DOUBLE_EQ(attainable(roofline, 1e6, 0), 100);
}

}  // namespace
}  // namespace hone::profile
