#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text/text.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A small, verified profile: these tests do not check times.
const std::vector<std::string> kSmall = {"profile", "--problem-m=8", "--problem-n=16",
                                         "--problem-k=32"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> verifications(const nlohmann::json& result) {
  std::vector<std::string> all;
  for (const auto& row : result.at("rows")) {
    all.push_back(row.at("verification").get<std::string>());
  }
  return all;
}

TEST(Profile, GeneratesCompilesAndMeasures) {
  Sandbox sandbox;
  const CommandResult ran =
      sandbox.hone(with(kSmall, {"--output", "data.csv", "--tags", "who:me"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("Dispatch      : matmul_8x16x32_f32t_f32t_f32t_tile_config_default\n"
                        "Provider      : IREE Codegen\n"
                        "OpKind        : OperationKind.Matmul\n"));
  EXPECT_THAT(ran.out, HasSubstr("Verification  : SUCCESS\nRuntime(ms)   : "));
  EXPECT_THAT(ran.out, HasSubstr("Writing performance report to data.csv\n"));
  const std::size_t table = ran.out.find("\noperation ");  // the blocks above it keep IREE's format
  ASSERT_NE(table, std::string::npos) << ran.out;
  expectTablesFit({0, ran.out.substr(table), ""});
  const auto folder = sandbox.work() / "generated/linalg/matmul/matmul_8x16x32_f32t_f32t_f32t";
  for (const char* ending : {".mlir", "_profile.vmfb", "_verify.vmfb"}) {
    EXPECT_TRUE(
        std::filesystem::exists(folder / (std::string("matmul_8x16x32_f32t_f32t_f32t") + ending)))
        << ending;
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "iree_compile_cmd_stdout.mlir"));
  const std::string csv = readFile(sandbox.work() / "data.csv").value();
  EXPECT_THAT(csv,
              AllOf(HasSubstr("who,Provider,op_kind,"), HasSubstr("\nme,IREE Codegen,matmul,")));
  ASSERT_EQ(sandbox.hone(with(kSmall, {"--output=data.csv", "--tags=who:you", "--append"})).code,
            0);
  const std::string longer = readFile(sandbox.work() / "data.csv").value();
  EXPECT_THAT(longer, testing::StartsWith(csv));
  EXPECT_EQ(std::count(longer.begin(), longer.end(), '\n'), 3);
}

TEST(Profile, SkipsVerificationOrMeasurement) {
  Sandbox sandbox;
  const auto unchecked =
      sandbox.hone(with(kSmall, {"--verification-enabled=false", "--json"})).json();
  EXPECT_THAT(verifications(unchecked), ElementsAre("Not verified"));
  EXPECT_TRUE(unchecked["rows"][0].contains("time_ns"));
  const auto unmeasured =
      sandbox.hone(with(kSmall, {"--profiling-enabled=false", "--json"})).json();
  EXPECT_THAT(verifications(unmeasured), ElementsAre("SUCCESS"));
  EXPECT_FALSE(unmeasured["rows"][0].contains("time_ns"));
}

class EveryKind : public testing::TestWithParam<std::vector<std::string>> {};

INSTANTIATE_TEST_SUITE_P(
    Profile, EveryKind,
    testing::Values(
        std::vector<std::string>{"--problem-m=8", "--problem-n=16", "--problem-k=32",
                                 "--epilogue=bias_relu,gelu,softmax"},
        std::vector<std::string>{"--kind=attention", "--batch=2", "--queries=16", "--keys=32",
                                 "--head-dim=8", "--type=f32,f16"},
        std::vector<std::string>{"--problem-m=8", "--problem-n=16", "--problem-k=32",
                                 "--type=i8,bf16_bf16_f32,f16_f16_f32", "--rhs=t,n"},
        std::vector<std::string>{"--kind=split_k_matmul", "--problem-m=8", "--problem-n=8",
                                 "--problem-k=512", "--split-k-slices=2,4"},
        std::vector<std::string>{"--kind=conv2d", "--image=8", "--channels=4", "--filters=6",
                                 "--groups=2", "--direction=fwd,bwd,wrw", "--layout=nhwc,nchw"},
        std::vector<std::string>{"--kind=conv1d,conv3d", "--image=6", "--channels=3", "--filters=2",
                                 "--stride=2"},
        std::vector<std::string>{"--batch=3", "--problem-m=8", "--problem-n=4", "--problem-k=16"}));

TEST_P(EveryKind, IsVerifiedOnBothCpuDevices) {
  Sandbox sandbox;
  for (const char* device : {"local-sync", "local-task"}) {
    const CommandResult ran =
        sandbox.hone(with(with({"profile", "--json", "--profiling-enabled=false"}, GetParam()),
                          {"--device", device}));
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    const auto all = verifications(ran.json());
    EXPECT_FALSE(all.empty());
    EXPECT_EQ(std::count(all.begin(), all.end(), "SUCCESS"), std::ssize(all)) << ran.out;
  }
}

TEST(Profile, RunsGenerateCompileAndProfileSeparately) {
  Sandbox sandbox;
  const CommandResult generated = sandbox.hone(
      {"generate", "--problem-m=64", "--problem-n=64", "--problem-k=64", "--configs=all"});
  ASSERT_EQ(generated.code, 0) << generated.err;
  EXPECT_THAT(generated.out,
              HasSubstr("[Generating]: ./generated/linalg/matmul/matmul_64x64x64_f32t_f32t_f32t/"
                        "matmul_64x64x64_f32t_f32t_f32t.mlir\n"
                        "    Emitting tuning configuration : tile_config_default\n"));
  const CommandResult compiled = sandbox.hone({"compile"});
  ASSERT_EQ(compiled.code, 0) << compiled.err << compiled.out;
  EXPECT_THAT(compiled.out, HasSubstr(", 0 cached"));
  EXPECT_THAT(
      sandbox.hone({"compile", "--json"}).json(),
      testing::Each(testing::ResultOf(
          [](const auto& entry) { return entry.at("cached").template get<bool>(); }, true)));
  EXPECT_THAT(sandbox.hone({"compile", "--force"}).out, HasSubstr(", 0 cached"));
  const auto rows = sandbox
                        .hone({"profile", "--dispatches=*_tile_config_*doubletiling*",
                               "--profiling-enabled=false", "--json"})
                        .json()
                        .at("rows");
  EXPECT_FALSE(rows.empty());
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("verification"), "SUCCESS") << row.dump();
    EXPECT_THAT(row.at("configuration").get<std::string>(), HasSubstr("doubletiling"));
  }
}

TEST(Profile, ListsSimilarNamesWithoutMatch) {
  Sandbox sandbox;
  expectError(sandbox.hone({"profile"}), 2, {"no operations found in", "hone generate"});
  ASSERT_EQ(sandbox.hone({"generate", "--problem-m=8", "--problem-n=8", "--problem-k=8"}).code, 0);
  expectError(sandbox.hone({"profile", "--dispatches=matmul_8x8x9_f32t_f32t_f32t"}), 2,
              {"no dispatch matches", "matmul_8x8x8_f32t_f32t_f32t_tile_config_default"});
}

TEST(Profile, RejectsInvalidInput) {
  Sandbox sandbox;
  expectError(sandbox.hone({"profile", "--problem-m=0"}), 2, {"--problem-m", "invalid size '0'"});
  expectError(sandbox.hone({"profile", "--kind=conv4d"}), 2, {"unknown kind 'conv4d'"});
  expectError(sandbox.hone({"profile", "missing.txt"}), 2, {"missing.txt"});
  expectError(sandbox.hone(with(kSmall, {"--providers=mkl"})), 2, {"got 'mkl'"});
  expectError(sandbox.hone(with(kSmall, {"--output=x/y.csv"})), 2, {"folder x does not exist"});
  expectError(sandbox.hone(with(kSmall, {"--output=y.csv", "--tags=oops"})), 2,
              {"expected key:value, got 'oops'"});
  expectError(sandbox.hone({"profile", "--problem=gemmm -m 3"}), 2, {"gemmm"});
}

TEST(Profile, SkipsInvalidWorkloadLines) {
  Sandbox sandbox;
  sandbox.write("work.txt",
                "gemm -m 8 -n 8 -k 8 -u 0 -v 0\nnonsense -x\nmatmul_8x4x8_f32t_f32t_f32t\n");
  const CommandResult ran = sandbox.hone({"profile", "work.txt", "--profiling-enabled=false"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("skipped: work.txt:2: "));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("matmul_8x8x8"), HasSubstr("matmul_8x4x8")));
  const CommandResult limited = sandbox.hone(
      {"profile", "work.txt", "--profiling-enabled=false", "--limit=1", "--type=bf16"});
  EXPECT_THAT(limited.out, HasSubstr("matmul_8x8x8_bf16t_bf16t_bf16t"));
  EXPECT_THAT(limited.out, testing::Not(HasSubstr("matmul_8x4x8")));
  sandbox.write("bad.txt", "nonsense -x\n");
  expectError(sandbox.hone({"profile", "bad.txt"}), 2, {"bad.txt:1: unknown command 'nonsense'"});
}

TEST(Profile, ContinuesAfterFailure) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.hone({"generate", "--problem-m=8", "--problem-n=8,16", "--problem-k=8"}).code,
            0);
  // Replace a program by a wrong one, to simulate a compiler bug.
  const std::string name = "matmul_8x8x8_f32t_f32t_f32t";
  const auto file = sandbox.work() / "generated/linalg/matmul" / name / (name + ".mlir");
  std::string text = readFile(file).value();
  const auto zero = text.find("arith.constant 0.0");
  ASSERT_NE(zero, std::string::npos);
  text.replace(zero, 18, "arith.constant 1.0");
  ASSERT_TRUE(writeFile(file, text));
  const CommandResult ran =
      sandbox.hone({"profile", "--junit=results.xml", "--profiling-enabled=false"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("Verification  : FAILED"), HasSubstr("Verification  : SUCCESS"),
                    HasSubstr("Message       : element")));
  EXPECT_THAT(readFile(sandbox.work() / "results.xml").value(),
              AllOf(HasSubstr("tests=\"2\" failures=\"1\""), HasSubstr("<failure message=")));
}

TEST(Profile, ComparesWithOneDnn) {
  Sandbox sandbox;
  const auto rows =
      sandbox.hone(with(kSmall, {"--providers=iree,onednn", "--json", "--sort=speed"}))
          .json()
          .at("rows");
  ASSERT_EQ(rows.size(), 2U);
  std::vector<std::string> providers;
  for (const auto& row : rows) {
    providers.push_back(row.at("provider").get<std::string>());
    EXPECT_GT(row.at("gflops").get<double>(), 0);
    EXPECT_GT(row.at("attainable_gflops").get<double>(), 0);
  }
  EXPECT_THAT(providers, testing::UnorderedElementsAre("IREE Codegen", "oneDNN"));
}

TEST(Profile, RejectsTargetOtherThanGenerated) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.hone({"generate", "--problem-m=8", "--problem-n=8", "--problem-k=8"}).code, 0);
  expectError(sandbox.hone({"profile", "--target=vulkan"}), 2, {"was generated for local"});
}

/// Two matmuls, a convolution, a softmax and a sum that cannot be fused.
constexpr std::string_view kFiveDispatches = R"(
func.func @five(%a: tensor<32x64xf32>, %b: tensor<64x48xf32>, %c: tensor<48x16xf32>,
                %image: tensor<1x10x10x4xf32>, %filter: tensor<8x3x3x4xf32>)
    -> (tensor<32x16xf32>, tensor<1x8x8x8xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %m0 = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x48xf32>)
      outs(%f0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e1 = tensor.empty() : tensor<32x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %m1 = linalg.matmul ins(%m0, %c : tensor<32x48xf32>, tensor<48x16xf32>)
      outs(%f1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %e2 = tensor.empty() : tensor<1x8x8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %conv = linalg.conv_2d_nhwc_fhwc
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<1x10x10x4xf32>, tensor<8x3x3x4xf32>)
      outs(%f2 : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %e3 = tensor.empty() : tensor<32x16xf32>
  %softmax = linalg.softmax dimension(1) ins(%m1 : tensor<32x16xf32>)
      outs(%e3 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %e4 = tensor.empty() : tensor<32xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.reduce ins(%m0 : tensor<32x48xf32>) outs(%f4 : tensor<32xf32>) dimensions = [1]
      (%in: f32, %acc: f32) { %x = arith.addf %in, %acc : f32 linalg.yield %x : f32 }
  return %softmax, %conv, %sum : tensor<32x16xf32>, tensor<1x8x8x8xf32>, tensor<32xf32>
}
)";

TEST(Profile, ProfilesProgramByDispatch) {
  Sandbox sandbox;
  sandbox.write("five.mlir", kFiveDispatches);
  for (const char* device : {"local-sync", "local-task"}) {
    const auto json =
        sandbox.hone({"profile", "five.mlir", "--json", "--device", device, "--rounds=5"}).json();
    const auto& dispatches = json.at("program").at("dispatches");
    EXPECT_EQ(dispatches.size(), 5U) << dispatches.dump();
    for (const auto& dispatch : dispatches) {
      EXPECT_EQ(dispatch.at("calls"), 1);
      EXPECT_GT(dispatch.at("time_ns").get<double>(), 0);
    }
    std::vector<std::string> operations;
    for (const auto& row : json.at("rows")) {
      operations.push_back(row.at("operation").get<std::string>());
      EXPECT_EQ(row.at("verification"), "SUCCESS");
    }
    EXPECT_THAT(
        operations,
        ElementsAre("matmul_32x48x64_f32t_f32t_f32t", "matmul_32x16x48_f32t_f32t_f32t",
                    "conv2d_fwd_1x10x10x4_8x3x3_s1x1_p0x0_d1x1_g1_f32nhwc_f32nhwc_f32nhwc"));
  }
}

TEST(Profile, OnlyCompilesForMissingGpu) {
  Sandbox sandbox;
  const CommandResult generated =
      sandbox.hone({"generate", "--target=cuda:sm_80", "--problem-m=256", "--problem-n=256",
                    "--problem-k=256", "--type=f16_f16_f32"});
  ASSERT_EQ(generated.code, 0) << generated.err;
  EXPECT_THAT(generated.out, HasSubstr("_tensorcore_mmasync\n"));
  const CommandResult compiled = sandbox.hone({"compile"});
  EXPECT_EQ(compiled.code, 0) << compiled.out << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("compiled for cuda:sm_80"));
  EXPECT_THAT(compiled.out, HasSubstr("compile-only"));
  expectError(sandbox.hone({"profile"}), 2, {"no cuda:sm_80 device found", "hone compile"});
}

TEST(Profile, GeneratesF16AndF32ForGpus) {
  const std::vector<std::string> shape = {"generate", "--problem-m=256", "--problem-n=256",
                                          "--problem-k=256"};
  Sandbox sandbox;
  const CommandResult cuda = sandbox.hone(with(shape, {"--target=cuda:sm_80"}));
  ASSERT_EQ(cuda.code, 0) << cuda.err;
  EXPECT_THAT(cuda.out, AllOf(HasSubstr("/matmul_256x256x256_f16t_f16t_f16t.mlir\n"),
                              HasSubstr("/matmul_256x256x256_f32t_f32t_f32t.mlir\n"),
                              HasSubstr("tile_config_128x128_16x1_simt_fma\n")));
  const CommandResult rocm = sandbox.hone(with(shape, {"--target=rocm:gfx942"}));
  ASSERT_EQ(rocm.code, 0) << rocm.err;
  EXPECT_THAT(rocm.out, AllOf(HasSubstr("/matmul_256x256x256_f16t_f16t_f32t.mlir\n"),
                              HasSubstr("/matmul_256x256x256_f32t_f32t_f32t.mlir\n"),
                              HasSubstr("tile_config_128x128_16x3_mfma_tileandfuse\n")));
  EXPECT_THAT(sandbox.hone(with(shape, {"--target=cuda:sm_80", "--type=f16"})).out,
              HasSubstr("\n1 operations, "));
  EXPECT_THAT(sandbox.hone(shape).out, HasSubstr("\n1 operations, "));
}

TEST(Profile, SelectsDispatchesAsDispatchProfiler) {
  Sandbox sandbox;
  const CommandResult generated = sandbox.hone(
      {"generate", "--problem-m=64", "--problem-n=64,128", "--problem-k=8", "--configs=all",
       "--dispatch=matmul_64x64x8_*_tile_config_default,.*_32x32_.*"});
  ASSERT_EQ(generated.code, 0) << generated.err;
  EXPECT_THAT(generated.out, HasSubstr("\n2 operations, 3 dispatches\n"));
  const CommandResult compiled = sandbox.hone({"compile", "--dispatch=matmul_64x128x8.*"});
  EXPECT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("1 of 1 dispatches compiled"));
  const CommandResult profiled = sandbox.hone(
      {"profile", "--profiling-enabled=false", "--json", "--dispatch=matmul_64x64x8_*_default"});
  EXPECT_THAT(verifications(profiled.json()), ElementsAre("SUCCESS"));
  expectError(sandbox.hone({"generate", "--problem-m=64", "--dispatch=matmul_1x1.*"}), 2,
              {"no dispatch matches", "similar names: matmul_64x256x256_f32t_f32t_f32t"});
}

/// Links the tools of the wheels under the names that they have in a build of IREE.
void linkBuild(const std::filesystem::path& build) {
  const std::filesystem::path wheels = std::filesystem::path(std::getenv("HONE_IREE")) / "iree";
  const auto link = [&](const std::filesystem::path& from, const char* to) {
    std::filesystem::create_directories((build / to).parent_path());
    std::filesystem::create_symlink(wheels / from, build / to);
  };
  link("compiler/_mlir_libs/libIREECompiler.so", "lib/libIREECompiler.so");
  link("compiler/_mlir_libs/iree-lld", "tools/iree-lld");
  for (const std::string tool : {"iree-run-module", "iree-benchmark-module"}) {
    link("_runtime_libs/" + tool, ("tools/" + tool).c_str());
  }
}

TEST(Profile, UsesBuildOfIree) {
  Sandbox sandbox;
  linkBuild(sandbox.work() / "iree-build");
  sandbox.moveProgram();
  sandbox.setVariable("HONE_IREE", "");
  sandbox.setVariable("VIRTUAL_ENV", "");
  const std::vector<std::string> shape = {"--problem-m=16", "--problem-n=16", "--problem-k=16"};
  const std::vector<std::string> build = {"--build-dir", "iree-build"};
  EXPECT_EQ(sandbox.hone(with({"generate"}, shape)).code, 3) << "finds no other IREE";
  const CommandResult generated = sandbox.hone(with(with({"generate"}, shape), build));
  EXPECT_EQ(generated.code, 0) << generated.err;
  const CommandResult compiled = sandbox.hone(with({"compile"}, build));
  EXPECT_EQ(compiled.code, 0) << compiled.out << compiled.err;
  const CommandResult profiled =
      sandbox.hone(with({"profile", "--profiling-enabled=false", "--json"}, build));
  EXPECT_THAT(verifications(profiled.json()), ElementsAre("SUCCESS")) << profiled.err;
  expectError(sandbox.hone({"compile", "--build-dir", "."}), 2, {"lib/libIREECompiler.so"});
}

TEST(Profile, RunsOnVulkan) {
  Sandbox sandbox;
  const CommandResult ran =
      sandbox.hone({"profile", "--target=vulkan", "--problem-m=16", "--problem-n=16,32",
                    "--problem-k=16", "--profiling-enabled=false", "--json"});
  if (ran.code == 2) {
    GTEST_SKIP() << ran.err;
  }
  EXPECT_THAT(verifications(ran.json()), ElementsAre("SUCCESS", "SUCCESS"));
}

TEST(Profile, ContinuesAfterKill) {
  Sandbox sandbox;
  const std::vector<std::string> command = {"profile", "--problem-m=8", "--problem-n=8:64:8",
                                            "--problem-k=8", "--json"};
  {
    Process process = sandbox.start(command);
    ASSERT_TRUE(eventually([&] { return sandbox.countStoredTrials(1) >= 2 || process.ended(); }));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  }
  EXPECT_TRUE(sandbox.allProcessesEnd());
  const CommandResult again = sandbox.hone(command);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json().at("run"), 1);
  EXPECT_THAT(verifications(again.json()), testing::SizeIs(8));
  EXPECT_EQ(sandbox.countStoredTrials(1), 8);
}

}  // namespace
}  // namespace hone::test
