#include "profile/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/process/subprocess.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/run/execution.h"
#include "knobs/cpu/cpu_limits.h"
#include "verify/compare.h"
#include "verify/inputs.h"
#include "verify/reference.h"

namespace hone::profile {

/// Prints configs in GoogleTest's messages.
void PrintTo(const TuningConfig& config, std::ostream* out) { *out << config.name; }  // NOLINT

namespace {

using model::Attention;
using model::Conv;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::Problem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Matmul halves(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 0) {
  return {.batch = batch, .m = m, .n = n, .k = k, .lhs = ElementType::f16, .rhs = ElementType::f16};
}

/// Returns a 3x3 convolution without padding.
Conv conv(ConvLayout layout, std::int64_t channels, std::int64_t size, std::int64_t filters) {
  return {
      .layout = layout, .n = 2, .c = channels, .h = size, .w = size, .k = filters, .y = 3, .x = 3};
}

/// Returns the source of a problem with the attribute on its operation.
std::string makeSource(const Problem& problem, const std::string& compilationInfo) {
  std::string text;
  if (const auto* attention = std::get_if<Attention>(&problem)) {
    const auto types = model::operandTypes(problem);
    text = fmt::format(
        "func.func @main(%q: tensor<{0}>, %k: tensor<{1}>, %v: tensor<{1}>) -> tensor<{0}> {{\n"
        "  %scale = arith.constant {2:.17e} : f32\n"
        "  %empty = tensor.empty() : tensor<{0}>\n"
        "  %out = iree_linalg_ext.attention <indexing_maps = ["
        "affine_map<(b, q, e, d, k) -> (b, q, d)>, affine_map<(b, q, e, d, k) -> (b, k, d)>, "
        "affine_map<(b, q, e, d, k) -> (b, k, e)>, affine_map<(b, q, e, d, k) -> ()>, "
        "affine_map<(b, q, e, d, k) -> (b, q, e)>]> {{dilations}} ins(%q, %k, %v, %scale : "
        "tensor<{0}>, tensor<{1}>, tensor<{1}>, f32) outs(%empty : tensor<{0}>) {{\n"
        "  ^bb0(%score: f32):\n    iree_linalg_ext.yield %score : f32\n  }} -> tensor<{0}>\n"
        "  return %out : tensor<{0}>\n}}\n",
        types[0].text(), types[1].text(), 1 / std::sqrt(static_cast<double>(attention->depth)));
    const std::string mark = "{dilations} ";
    return text.replace(
        text.find(mark), mark.size(),
        compilationInfo.empty() ? "" : fmt::format("{{compilation_info = {}}} ", compilationInfo));
  }
  text = iree::emitMlir(problem);
  if (compilationInfo.empty()) {
    return text;
  }
  const std::string info = fmt::format("compilation_info = {}", compilationInfo);
  for (const std::string name : {"linalg.matmul", "linalg.batch_matmul"}) {
    if (const auto at = text.find(name + " ins"); at != std::string::npos) {
      return text.insert(at + name.size(), fmt::format(" {{{}}}", info));
    }
  }
  return text.insert(text.find("dilations = "), info + ", ");
}

class TuningTest : public ::testing::Test {
 protected:
  std::vector<TuningConfig> configsFor(const std::string& target, const Problem& problem) {
    auto configs = tuningConfigs(compiler_, iree::targetFrom(target).value(), problem);
    EXPECT_TRUE(configs) << configs.error().message;
    return configs.value_or(std::vector<TuningConfig>());
  }

  std::vector<std::string> namesFor(const std::string& target, const Problem& problem) {
    std::vector<std::string> names;
    for (const TuningConfig& config : configsFor(target, problem)) {
      names.push_back(config.name);
    }
    return names;
  }

  /// Returns one module per config; all must compile.
  std::vector<std::filesystem::path> compileAll(const std::string& target, const Problem& problem,
                                                const std::vector<TuningConfig>& configs) {
    std::vector<iree::CompileRequest> requests;
    for (const TuningConfig& config : configs) {
      const std::string text = makeSource(problem, config.compilationInfo);
      const auto file = folder_.path() / (config.name + ".mlir");
      EXPECT_TRUE(writeFile(file, text));
      requests.push_back({file, hashBytes(text), iree::targetFrom(target)->flags, {}});
    }
    std::vector<std::filesystem::path> modules;
    const auto compiled = compiler_.compileAll(requests, {}).value();
    for (const iree::Compiled& one : compiled) {
      EXPECT_EQ(one.report.status, iree::CompileReport::Status::ok)
          << configs[modules.size()].name << ": " << one.report.message;
      modules.push_back(one.module);
    }
    expectEffect(requests.back(), configs.back());
    return modules;
  }

  /// Expects that the compiler uses the config instead of its default.
  void expectEffect(const iree::CompileRequest& request, const TuningConfig& config) {
    const std::string program =
        (installation_.compilerLibrary().parent_path() / "iree-compile").string();
    std::vector<std::string> argv = {program, request.source.string(), "-o", "-",
                                     "--compile-to=executable-configurations"};
    argv.insert(argv.end(), request.flags.begin(), request.flags.end());
    const auto finished = runCommand({argv, {}, {}}).value();
    const auto begin = config.compilationInfo.find("lowering_config");
    const auto end = config.compilationInfo.find(", translation_info");
    EXPECT_THAT(finished.out, HasSubstr(config.compilationInfo.substr(begin, end - begin)));
  }

  /// Expects that every config for the target compiles and matches the reference on the device.
  void expectRight(const std::string& target, const std::string& device, const Problem& problem,
                   std::size_t count) {
    const auto configs = configsFor(target, problem);
    ASSERT_THAT(configs, SizeIs(count)) << model::nameOf(problem);
    const bool exact = !std::holds_alternative<Attention>(problem);
    std::vector<verify::Tensor> inputs;
    std::vector<std::string> arguments;
    for (const model::TensorType& type : model::operandTypes(problem)) {
      inputs.push_back(verify::makeInput(
          type, exact ? verify::Values::smallIntegers : verify::Values::reals, 7, inputs.size()));
      const auto file = folder_.path() / fmt::format("{}.bin", inputs.size());
      ASSERT_TRUE(verify::writeTensor(file, inputs.back()));
      arguments.push_back(fmt::format("{}=@{}", type.text(), file.string()));
    }
    const iree::ModuleRunner runner(installation_, iree::deviceNamed(device),
                                    Limits{std::chrono::seconds(60), 0});
    const std::vector<std::filesystem::path> result = {folder_.path() / "result.bin"};
    std::optional<verify::Tensor> expected;
    if (exact) {
      expected = verify::computeReference(problem, inputs).value();
    }
    const auto modules = compileAll(target, problem, configs);
    for (std::size_t i = 0; i < modules.size(); ++i) {
      const auto report = runner.run({modules[i], "main", arguments}, result).value();
      ASSERT_EQ(report.status, iree::CallReport::Status::ok) << report.message;
      const auto actual = verify::readTensor(result[0], model::resultType(problem)).value();
      expected = expected.value_or(actual);  // an attention is compared with the default
      const verify::Tolerance tolerance =
          exact ? verify::toleranceFor(problem, verify::Values::smallIntegers)
                : verify::Tolerance{1e-4, 1e-4};
      const auto mismatch = verify::compare(actual, *expected, tolerance).value();
      EXPECT_FALSE(mismatch) << configs[i].name << ": " << mismatch->describe();
    }
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-tuning-test").value();
  iree::Installation installation_ = iree::findInstallation("").value();
  iree::Compiler compiler_{
      iree::CompilePool::start({installation_.compilerLibrary(), 2, {}}).value(),
      iree::ArtifactCache(folder_.path() / "cache"),
      Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U}};
};

TEST_F(TuningTest, ListsDefaultFirstOrAlone) {
  const TuningConfig byDefault{"tile_config_default", "Default", "Default", "Default", ""};
  Conv backward = conv(ConvLayout::nchw, 16, 18, 16);
  backward.direction = model::ConvDirection::backwardData;
  EXPECT_THAT(configsFor("local", backward), ElementsAre(byDefault));
  EXPECT_THAT(configsFor("vulkan", Attention{2, 64, 64, 64}), ElementsAre(byDefault));
  EXPECT_THAT(configsFor("cuda:sm_80", Attention{2, 64, 64, 64}), ElementsAre(byDefault));
  EXPECT_THAT(configsFor("local", Matmul{.m = 1, .n = 1, .k = 1}), ElementsAre(byDefault));
  EXPECT_THAT(configsFor("vulkan", halves(64, 64, 64)), ElementsAre(byDefault));
  EXPECT_EQ(configsFor("local", Matmul{.m = 64, .n = 64, .k = 64}).front(), byDefault);
}

TEST_F(TuningTest, ListsOnlyDefaultForConvolutionWithUnitLoop) {
  Conv one = conv(ConvLayout::nchw, 16, 18, 16);
  one.n = 1;
  EXPECT_THAT(configsFor("local", one), SizeIs(1));
  EXPECT_THAT(configsFor("rocm:gfx942", one), SizeIs(1));
}

TEST_F(TuningTest, NamesConfigsLikeDispatchProfiler) {
  EXPECT_THAT(namesFor("cuda:sm_80", halves(512, 512, 512)),
              ElementsAre("tile_config_default", "tile_config_256x128_32x2_tensorcore_mmasync",
                          "tile_config_128x256_32x2_tensorcore_mmasync",
                          "tile_config_128x128_64x2_tensorcore_mmasync",
                          "tile_config_128x128_32x2_tensorcore_mmasync",
                          "tile_config_128x64_32x2_tensorcore_mmasync",
                          "tile_config_64x64_64x2_tensorcore_mmasync",
                          "tile_config_64x64_32x2_tensorcore_mmasync"));
  const TuningConfig batched = configsFor("cuda:sm_80", halves(64, 64, 32, 3)).back();
  EXPECT_EQ(batched.name, "tile_config_1x64x64_32x2_tensorcore_mmasync");
  EXPECT_EQ(batched.tile, "1x64x64_32x2");
  EXPECT_EQ(batched.coreClass, "tensorcore");
  EXPECT_EQ(batched.instructionClass, "mmasync");
  EXPECT_THAT(batched.compilationInfo, HasSubstr("workgroup = [1, 64, 64, 0]"));
  EXPECT_THAT(namesFor("local", Matmul{.m = 40, .n = 50, .k = 8}),
              ElementsAre("tile_config_default", "tile_config_32x32_8x16x1_doubletiling_fma"));
}

TEST_F(TuningTest, OmitsConfigsThatViolateConstraints) {
  EXPECT_THAT(namesFor("cuda:sm_80", halves(192, 64, 96)),
              ElementsAre("tile_config_default", "tile_config_64x64_32x2_tensorcore_mmasync"));
  EXPECT_THAT(configsFor("rocm:gfx942", halves(1000, 1000, 1000)), SizeIs(1));
  // No matrix instruction of gfx942 accumulates in f16.
  Matmul narrow = halves(512, 512, 512);
  narrow.result = ElementType::f16;
  EXPECT_THAT(configsFor("rocm:gfx942", narrow), SizeIs(1));
  EXPECT_THAT(configsFor("cuda:sm_80", narrow), SizeIs(8));
}

TEST_F(TuningTest, ListsThreeStagesWhereCompilerPrefetches) {
  EXPECT_THAT(namesFor("rocm:gfx942", halves(64, 64, 96)),
              ElementsAre("tile_config_default", "tile_config_64x64_32x2_mfma_tileandfuse",
                          "tile_config_64x64_32x3_mfma_tileandfuse",
                          "tile_config_64x64_32x2_mfma_vectordistribute",
                          "tile_config_64x64_32x3_mfma_vectordistribute"));
  // The compiler does not pipeline a loop with two iterations.
  EXPECT_THAT(namesFor("rocm:gfx942", halves(64, 64, 64)), Not(Contains(HasSubstr("_32x3_"))));
  EXPECT_THAT(namesFor("cuda:sm_80", halves(64, 64, 96)), Not(Contains(HasSubstr("_32x3_"))));
}

TEST_F(TuningTest, StagesChangeCodeOnlyWhereListed) {
  for (const char* target : {"rocm:gfx942", "cuda:sm_80"}) {
    const Matmul problem = halves(64, 64, 96);
    TuningConfig config = configsFor(target, problem)[1];
    ASSERT_THAT(config.name, HasSubstr("x2_"));
    const std::string stages = "prefetch_num_stages = ";
    const auto at = config.compilationInfo.find(stages) + stages.size();
    std::vector<std::string> codes;
    for (const char* count : {"2", "3", "4"}) {
      config.compilationInfo.replace(at, 1, count);
      // Modules contain the name of their source, so all have the same.
      codes.push_back(readFile(compileAll(target, problem, {config}).front()).value());
    }
    EXPECT_EQ(codes[0] != codes[1], std::string_view(target).starts_with("rocm")) << target;
    EXPECT_TRUE(codes[1] == codes[2]) << target;
  }
}

TEST_F(TuningTest, ListsSimtTilesForF32OnCuda) {
  EXPECT_THAT(namesFor("cuda:sm_80", Matmul{.m = 256, .n = 256, .k = 64}),
              ElementsAre("tile_config_default", "tile_config_128x256_16x1_simt_fma",
                          "tile_config_256x128_16x1_simt_fma", "tile_config_128x128_16x1_simt_fma",
                          "tile_config_128x128_32x1_simt_fma", "tile_config_128x64_32x1_simt_fma",
                          "tile_config_128x64_16x1_simt_fma", "tile_config_64x64_32x1_simt_fma",
                          "tile_config_64x64_16x1_simt_fma"));
  EXPECT_THAT(namesFor("cuda:sm_80", Matmul{.batch = 2, .m = 64, .n = 64, .k = 16}),
              ElementsAre("tile_config_default", "tile_config_1x64x64_16x1_simt_fma"));
  EXPECT_THAT(configsFor("cuda:sm_80", Matmul{.m = 100, .n = 64, .k = 16}), SizeIs(1));
}

TEST_F(TuningTest, GpuConfigsCompile) {
  const std::vector<std::pair<std::string, Problem>> cases = {
      {"cuda:sm_80", halves(128, 64, 32)},
      {"rocm:gfx942", halves(64, 64, 32, 2)},
      {"rocm:gfx942", Matmul{.m = 64, .n = 64, .k = 16}},
      {"rocm:gfx942", conv(ConvLayout::nhwc, 16, 18, 64)},
      {"cuda:sm_80", Matmul{.m = 256, .n = 256, .k = 64}},
      {"cuda:sm_80", Matmul{.batch = 2, .m = 128, .n = 64, .k = 32}}};
  const std::vector<std::size_t> counts = {3, 3, 3, 11, 9, 5};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [target, problem] = cases[i];
    const auto configs = configsFor(target, problem);
    EXPECT_THAT(configs, SizeIs(counts[i])) << model::nameOf(problem);
    compileAll(target, problem, configs);
  }
}

TEST_F(TuningTest, CpuConfigsMatchReference) {
  // The compiler fills a block of 64x64 with one vector, which is too large for CPUs without
  // AVX-512.
  const bool isWide = knobs::detectCpuLimits().largestVectorBytes() > std::int64_t{64} * 64 * 4;
  expectRight("local", "local-sync", Matmul{.m = 130, .n = 140, .k = 130}, isWide ? 10 : 9);
  expectRight("local", "local-sync", Matmul{.batch = 2, .m = 40, .n = 48, .k = 24}, 2);
  expectRight("local", "local-sync", conv(ConvLayout::nchw, 8, 18, 16), 3);
  expectRight("local", "local-sync", conv(ConvLayout::nhwc, 8, 10, 16), 3);
}

TEST_F(TuningTest, CpuAttentionConfigsMatchDefault) {
  expectRight("local", "local-sync", Attention{2, 32, 40, 16}, 5);
  expectRight("local", "local-sync", Attention{1, 6, 32, 16}, 2);
}

TEST_F(TuningTest, VulkanConfigsMatchReference) {
  const auto devices = iree::listDevices(installation_);
  if (!devices || std::none_of(devices->begin(), devices->end(), [](const std::string& name) {
        return name.starts_with("vulkan");
      })) {
    GTEST_SKIP() << "no Vulkan device";
  }
  expectRight("vulkan", "vulkan", Matmul{.batch = 2, .m = 40, .n = 72, .k = 24}, 4);
  expectRight("vulkan", "vulkan", conv(ConvLayout::nhwc, 8, 12, 32), 2);
  expectRight("vulkan", "vulkan", conv(ConvLayout::nchw, 4, 18, 16), 3);
}

}  // namespace
}  // namespace hone::profile
