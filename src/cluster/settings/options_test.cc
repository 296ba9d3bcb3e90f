#include "cluster/settings/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string optionsError(std::string_view text) {
  const auto options = withSettings({}, text, "hone.toml");
  return options ? "" : options.error().message;
}

TEST(OptionsTest, ReadsClusterSection) {
  const auto options = withSettings({},
                                    "[cluster]\nexecutor = \"slurm\"\npartition = \"gpu\"\n"
                                    "nodes = 4\ngres = \"gpu:1\"\naccount = \"me\"\n"
                                    "compile-nodes = 2\nshared = \"/scratch/me\"\n"
                                    "sbatch-args = [\"--time=60\", \"--qos=low\"]\n",
                                    "hone.toml");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_TRUE(options->usesCluster());
  EXPECT_EQ(options->partition, "gpu");
  EXPECT_EQ(options->nodes, 4u);
  EXPECT_EQ(options->compileNodes, 2u);
  EXPECT_EQ(options->sharedFolder(), "/scratch/me");
  EXPECT_THAT(options->sbatchArgs, ElementsAre("--time=60", "--qos=low"));
}

TEST(OptionsTest, ReportsErrorsWithLine) {
  EXPECT_THAT(optionsError("[cluster]\npartitoin = \"x\"\n"),
              HasSubstr("hone.toml:2: unknown key 'partitoin' in [cluster]; did you mean "
                        "'partition'?"));
  EXPECT_THAT(optionsError("[slurm]\nnodes = 1\n"), HasSubstr("hone.toml:2: unknown section"));
  EXPECT_EQ(optionsError("[kernel]\nguidance = \"use AVX2\"\n"), "");
  EXPECT_THAT(optionsError("[cluster]\nnodes = \"two\"\n"),
              HasSubstr("hone.toml:2: invalid type of 'nodes'"));
  EXPECT_THAT(optionsError("[cluster]\nnodes = 1.5\n"),
              HasSubstr("hone.toml:2: invalid type of 'nodes'"));
  EXPECT_THAT(optionsError("[cluster]\nlost-seconds = 0\n"), HasSubstr("hone.toml:2"));
  EXPECT_THAT(optionsError("[cluster]\nexecutor = \"pbs\"\n"), HasSubstr("unknown executor 'pbs'"));
}

TEST(OptionsTest, LocalIsTheDefault) {
  EXPECT_FALSE(Options{}.usesCluster());
  EXPECT_FALSE(withSettings({}, "", "hone.toml")->usesCluster());
}

}  // namespace
}  // namespace hone::cluster
