#include "iree/run/execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/compiler.h"
#include "iree/mlir/problem_mlir.h"
#include "verify/tensor/tensor.h"

namespace hone::iree {
namespace {

using CallStatus = CallReport::Status;
using ::testing::HasSubstr;

/// Compiles programs and runs them on the synchronous CPU device.
class ExecutionTest : public ::testing::Test {
 protected:
  static constexpr const char* kEndless = R"mlir(
    func.func @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
        scf.condition(%true) %a : tensor<4xf32>
      } do {
      ^bb0(%b: tensor<4xf32>):
        %s = arith.addf %b, %b : tensor<4xf32>
        scf.yield %s : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    })mlir";

  std::filesystem::path compile(const std::string& text) {
    auto pool = CompilePool::start({installation_.compilerLibrary(), 1, {}}).value();
    Compiler compiler(std::move(pool), ArtifactCache(folder_.path() / "cache"),
                      Limits{std::chrono::seconds(60), 0});
    const auto file = folder_.path() / "p.mlir";
    EXPECT_TRUE(writeFile(file, text));
    const std::vector<CompileRequest> requests = {
        {file, hashBytes(text), targetFrom("local")->flags, {}}};
    const auto compiled = compiler.compileAll(requests, {}).value().front();
    EXPECT_EQ(compiled.report.message, "");
    return compiled.module;
  }

  ModuleRunner runner(double seconds = 30) {
    const auto wall = std::chrono::milliseconds(static_cast<int>(seconds * 1000));
    return {installation_, deviceNamed("local-sync"), Limits{wall, 0}};
  }

  Installation installation_ = findInstallation("").value();
  ScratchFolder folder_ = ScratchFolder::create("hone-execution-test").value();
};

TEST_F(ExecutionTest, RunsTimesAndRejectsBadCalls) {
  const Call call{
      compile(emitMlir(model::Matmul{.m = 4, .n = 4, .k = 4})), "main", {"4x4xf32=2", "4x4xf32=3"}};
  const std::vector<std::filesystem::path> files = {folder_.path() / "r.bin"};
  const CallReport report = runner().run(call, files).value();
  ASSERT_EQ(report.status, CallStatus::ok) << report.message;
  const auto result =
      verify::readTensor(files[0], model::tensorTypeFrom("4x4xf32").value()).value();
  std::vector<float> values(16);
  verify::readElements(result, 0, values);
  EXPECT_EQ(values, std::vector<float>(16, 24.0F));

  const Timings timings = runner().time(call, 10, 4).value();
  ASSERT_EQ(timings.report.status, CallStatus::ok) << timings.report.message;
  ASSERT_EQ(timings.times.size(), 4u);
  for (const CallTime& time : timings.times) {
    EXPECT_GT(time.wallNs, 0);
    EXPECT_GT(time.cpuNs, 0);
  }

  Call shape = call;
  shape.inputs[0] = "4x5xf32=2";
  EXPECT_THAT(runner().run(shape, files).value().message, HasSubstr("mismatch"));
  EXPECT_EQ(runner().time(shape, 1, 2).value().report.status, CallStatus::failed);
  Call function = call;
  function.function = "missing";
  EXPECT_THAT(runner().run(function, files).value().message, HasSubstr("missing"));
}

/// Returns the number of minor page faults of this process's children.
std::int64_t pagesTouched() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  return usage.ru_minflt;
}

TEST_F(ExecutionTest, ReusesMemoryUnlessFresh) {
  constexpr const char* kLargeResult = R"mlir(
    func.func @main(%x: tensor<f32>) -> tensor<16777216xf32> {
      %e = tensor.empty() : tensor<16777216xf32>
      %r = linalg.broadcast ins(%x : tensor<f32>) outs(%e : tensor<16777216xf32>) dimensions = [0]
      return %r : tensor<16777216xf32>
    })mlir";
  const Call call{compile(kLargeResult), "main", {"f32=1"}};
  const auto touchedWith = [&](Memory memory) {
    const std::int64_t before = pagesTouched();
    const Timings timings = runner().with(memory).time(call, 1, 7).value();
    EXPECT_EQ(timings.report.status, CallStatus::ok) << timings.report.message;
    return pagesTouched() - before;
  };
  EXPECT_LT(2 * touchedWith(Memory::kept), touchedWith(Memory::fresh));
}

TEST_F(ExecutionTest, StopsEndlessCall) {
  const Call call{compile(kEndless), "endless", {"4xf32=1"}};
  const CallReport report = runner(1.0).run(call, {}).value();
  EXPECT_EQ(report.status, CallStatus::timedOut);
  EXPECT_THAT(report.message, HasSubstr("stopped after"));
  EXPECT_EQ(runner(1.0).time(call, 1, 1).value().report.status, CallStatus::timedOut);
}

}  // namespace
}  // namespace hone::iree
