#include "tune/proof/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/executor/local_executor.h"
#include "engine/test_toolchain.h"

namespace hone::tune {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string tiles(int rows, int columns, int reduction) {
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = "
      "[64, 64, 0], vector_common_parallel = [{}, {}, 0], vector_reduction = [0, 0, {}]>, "
      "translation_info = #iree_codegen.translation_info<pipeline = "
      "#iree_cpu.pipeline<DoubleTilingExpert>>>",
      rows, columns, reduction);
}

/// Returns a program whose first matmul has slow tiles set in the source; the second has the
/// compiler's default.
std::string slowThenDefault(int firstColumns, int secondColumns) {
  return fmt::format(
      R"mlir(
func.func @main(%a: tensor<64x128xf32>, %b: tensor<128x{0}xf32>, %c: tensor<128x{1}xf32>)
    -> (tensor<64x{0}xf32>, tensor<64x{1}xf32>) {{
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x{0}xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x{0}xf32>) -> tensor<64x{0}xf32>
  %r0 = linalg.matmul {{compilation_info = {2}}}
      ins(%a, %b : tensor<64x128xf32>, tensor<128x{0}xf32>)
      outs(%f0 : tensor<64x{0}xf32>) -> tensor<64x{0}xf32>
  %e1 = tensor.empty() : tensor<64x{1}xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<64x{1}xf32>) -> tensor<64x{1}xf32>
  %r1 = linalg.matmul ins(%a, %c : tensor<64x128xf32>, tensor<128x{1}xf32>)
      outs(%f1 : tensor<64x{1}xf32>) -> tensor<64x{1}xf32>
  return %r0, %r1 : tensor<64x{0}xf32>, tensor<64x{1}xf32>
}}
)mlir",
      firstColumns, secondColumns, tiles(1, 1, 1));
}

class ProveTest : public ::testing::Test {
 protected:
  void load(int firstColumns, int secondColumns) {
    whole_.program = toolchain_.load(slowThenDefault(firstColumns, secondColumns)).value();
    whole_.inputs = engine::makeInputs(whole_.program, {}, 1, toolchain_.folder.path()).value();
    whole_.flags = toolchain_.flags;
  }

  /// Returns a recipe of two ingredients: tiles for the first and the second matmul.
  static Recipe recipe(std::string first, std::string second) {
    const std::vector<model::OpAttribute> attributes = {
        {"dispatch_0", "linalg.matmul", "compilation_info", std::move(first)},
        {"dispatch_1", "linalg.matmul", "compilation_info", std::move(second)}};
    return {"tuned",
            {{"first", 0.5}, {"second", 0.5}},
            [attributes](std::span<const std::size_t> which) -> Result<model::Config> {
              model::Config config;
              for (const std::size_t one : which) {
                config.attributes.push_back(attributes[one]);
              }
              return config;
            }};
  }

  Result<ProofResult> proveOn(const iree::ModuleRunner& runner, const Recipe& recipe) {
    Progress progress(true);
    store::Run run;
    run.key = "k";
    run.command = "test";
    run_ = store_.addRun(run).value();
    engine::LocalExecutor executor(store_, run_, progress);
    const engine::TrialContext bench{toolchain_.compiler, runner, store_, progress, run_, executor};
    return tune::prove(bench, whole_, std::span(&recipe, 1), {5, {}});
  }
  ProofResult prove(const Recipe& recipe) {
    auto proving = proveOn(toolchain_.runner, recipe);
    EXPECT_TRUE(proving) << proving.error().message;
    return proving ? *proving : ProofResult{};
  }

  engine::TestToolchain toolchain_;
  store::Store store_ =
      store::Store::open(toolchain_.folder.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = 0;
  WholeProgram whole_;
  const std::string good_ = tiles(8, 16, 1);
  const std::string slow_ = tiles(1, 1, 1);
  const std::string tooLarge_ = tiles(128, 128, 128);
};

TEST_F(ProveTest, KeepsHelpfulIngredients) {
  load(128, 64);
  const ProofResult proving = prove(recipe(good_, slow_));
  ASSERT_TRUE(proving.proof) << "better as a whole, because the first matmul is larger";
  EXPECT_THAT(proving.proof->kept, ElementsAre(0));
  EXPECT_THAT(proving.proof->removed,
              ElementsAre(RemovedIngredient{1, "no gain on the whole program"}));
  EXPECT_GT(proving.proof->gain.comparison.speedup.low, 1);
  EXPECT_THAT(proving.lost, IsEmpty());
  ASSERT_TRUE(proving.proof->freshMemoryGain) << "not measured on fresh memory";
  EXPECT_GT(proving.proof->freshMemoryGain->defaultNs, 0);
  EXPECT_GT(proving.proof->freshMemoryGain->comparison.speedup.low, 1);
  EXPECT_TRUE(store_.run(run_).value()->details.paces.contains("pace proof on fresh memory"));
}

TEST_F(ProveTest, RemovesSlowIngredients) {
  load(64, 256);
  const ProofResult proving = prove(recipe(good_, slow_));
  ASSERT_TRUE(proving.proof);
  EXPECT_THAT(proving.proof->kept, ElementsAre(0));
  EXPECT_THAT(proving.proof->removed,
              ElementsAre(RemovedIngredient{1, "no gain on the whole program"}));
  EXPECT_GT(proving.proof->gain.comparison.speedup.low, 1);
  EXPECT_THAT(proving.lost,
              ElementsAre(StartsWith("tuned: 0."), "second alone: no gain on the whole program"));
}

TEST_F(ProveTest, RemovesFailingIngredients) {
  load(64, 128);
  const ProofResult proving = prove(recipe(good_, tooLarge_));
  ASSERT_TRUE(proving.proof);
  EXPECT_THAT(proving.proof->kept, ElementsAre(0));
  ASSERT_EQ(proving.proof->removed.size(), 1u);
  EXPECT_THAT(proving.proof->removed[0].why, HasSubstr("large vector"));
  EXPECT_THAT(proving.lost, ElementsAre(StartsWith("tuned: compile_failed"),
                                        StartsWith("second alone: compile_failed")));
}

TEST_F(ProveTest, ExplainsMissingGain) {
  load(64, 128);
  const ProofResult proving = prove(recipe(tooLarge_, slow_));
  EXPECT_FALSE(proving.proof);
  EXPECT_THAT(proving.lost, ElementsAre(HasSubstr("large vector"), HasSubstr("large vector"),
                                        "second alone: no gain on the whole program"));
}

/// Returns an installation whose benchmark tool reports inverted times for calls on fresh memory.
iree::Installation invertFreshMemoryTimes(const iree::Installation& real,
                                          const std::filesystem::path& folder) {
  const iree::Installation made{folder / "site", "a test"};
  const auto tool = made.runtimeTool("iree-benchmark-module");
  const auto runner = made.runtimeTool("iree-run-module");
  EXPECT_TRUE(makeFolder(tool.parent_path()));
  std::filesystem::create_symlink(real.runtimeTool("iree-run-module"), runner);
  EXPECT_TRUE(writeFile(tool, fmt::format(R"(#!/usr/bin/env python3
import json, subprocess, sys
done = subprocess.run(["{}", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
if done.returncode == 0 and "--device_allocator=caching" not in sys.argv:
    report = json.loads(done.stdout)
    for each in report["benchmarks"]:
        for name in ("real_time", "cpu_time"):
            each[name] = 1 / each[name]
    done.stdout = json.dumps(report)
print(done.stdout)
sys.exit(done.returncode)
)",
                                          real.runtimeTool("iree-benchmark-module").string())));
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  return made;
}

TEST_F(ProveTest, RejectsRegressionOnFreshMemory) {
  load(128, 64);
  const iree::ModuleRunner runner(
      invertFreshMemoryTimes(toolchain_.installation, toolchain_.folder.path()),
      iree::deviceNamed("local-sync"), Limits{std::chrono::seconds(30), 0});
  const auto proving = proveOn(runner, recipe(good_, good_));
  ASSERT_TRUE(proving) << proving.error().message;
  EXPECT_FALSE(proving->proof);
  EXPECT_THAT(proving->lost, Contains(HasSubstr("slower if memory is not kept")));
}

TEST_F(ProveTest, LostDeviceDoesNotCountAgainstRecipe) {
  load(64, 128);
  const iree::ModuleRunner gone(toolchain_.installation, iree::deviceNamed("nowhere"),
                                Limits{std::chrono::seconds(30), 0});
  const auto proving = proveOn(gone, recipe(good_, good_));
  ASSERT_FALSE(proving);
  EXPECT_EQ(proving.error().fault, Fault::machine);
}

}  // namespace
}  // namespace hone::tune
