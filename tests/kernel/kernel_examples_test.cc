// Checks the documented gain of the example kernels: at least 2x in a few turns, without network or
// PyTorch, with correct results.
#include <gtest/gtest.h>

#include "tests/cli/cli.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

class KernelExample : public testing::TestWithParam<const char*> {};

// These gain 20x and more, so 2x holds even on a loaded machine.
TEST_P(KernelExample, GainsTwofoldAndStaysCorrect) {
  const std::string name = GetParam();
  Sandbox box;
  for (const char* ending : {".cc", ".reference.cc"}) {
    const fs::path file = sourceFolder() / "examples/kernels/cpp" / (name + ending);
    box.write(name + ending, readFile(file).value());
  }
  const CommandResult ran =
      box.hone({"kernel", "optimize", "--kernel", name + ".cc", "--max-iterations", "1",
                "--candidates", "4", "--rounds", "5", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  ASSERT_EQ(json["improved"], true) << ran.out;
  EXPECT_GE(json["confirmed"]["original"]["speedup"].get<double>(), 2) << ran.out;

  const fs::path written = json["file"].get<std::string>();
  ASSERT_TRUE(fs::is_regular_file(box.work() / written)) << ran.out;
  const CommandResult again =
      box.hone({"kernel", "optimize", "--kernel", written.string(), "--reference",
                name + ".reference.cc", "--max-iterations", "0", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["failed"], 0) << again.out;
}

INSTANTIATE_TEST_SUITE_P(Cpp, KernelExample, testing::Values("matmul", "conv"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param);
                         });

TEST(KernelRedTeam, NamesDefenceOfEveryExploit) {
  Sandbox box;
  const CommandResult ran = box.hone({"kernel", "redteam", "zeros", "plugin_flag", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  ASSERT_EQ(json["exploits"].size(), 2U) << ran.out;
  EXPECT_EQ(json["exploits"][0]["name"], "plugin_flag");
  EXPECT_EQ(json["exploits"][0]["stopped_by"], "compiler");
  EXPECT_EQ(json["exploits"][1]["stopped_by"], "comparison");
  EXPECT_EQ(json["exploits"][1]["passed"], false);
  EXPECT_GE(json["defences"].size(), 8U);
  EXPECT_EQ(box.hone({"kernel", "redteam", "no_such_exploit"}).code, 2);
}

}  // namespace
}  // namespace hone::test
