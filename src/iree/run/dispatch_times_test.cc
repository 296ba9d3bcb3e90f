#include "iree/run/dispatch_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/compiler.h"

namespace hone::iree {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A program of five dispatches: two matmuls, a convolution, a softmax and an elementwise
/// operation. The first matmul runs twice.
constexpr const char* kFive = R"mlir(
  func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x48xf32>,
                  %img: tensor<1x10x10x8xf32>, %f: tensor<3x3x8x16xf32>)
      -> (tensor<32x48xf32>, tensor<1x8x8x16xf32>, tensor<32x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<32x64xf32>
    %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %m0 = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x64xf32>)
        outs(%i1 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %m1 = linalg.matmul ins(%m0, %w : tensor<32x64xf32>, tensor<64x64xf32>)
        outs(%i1 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %e2 = tensor.empty() : tensor<32x48xf32>
    %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %m2 = linalg.matmul ins(%m1, %v : tensor<32x64xf32>, tensor<64x48xf32>)
        outs(%i2 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %s = linalg.softmax dimension(1) ins(%m2 : tensor<32x48xf32>)
        outs(%e2 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %e3 = tensor.empty() : tensor<1x8x8x16xf32>
    %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
    %c = linalg.conv_2d_nhwc_hwcf
        {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
        ins(%img, %f : tensor<1x10x10x8xf32>, tensor<3x3x8x16xf32>)
        outs(%i3 : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
    %t = math.tanh %x : tensor<32x64xf32>
    return %s, %c, %t : tensor<32x48xf32>, tensor<1x8x8x16xf32>, tensor<32x64xf32>
  })mlir";

class DispatchTimesTest : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] Call callFor(const std::string& target) const {
    auto pool = CompilePool::start({installation_.compilerLibrary(), 1, {}}).value();
    Compiler compiler(std::move(pool), ArtifactCache(folder_.path() / "cache"),
                      Limits{std::chrono::seconds(120), 0});
    const auto file = folder_.path() / "five.mlir";
    EXPECT_TRUE(writeFile(file, kFive));
    const std::vector<CompileRequest> requests = {
        {file, hashBytes(kFive), targetFrom(target)->flags, {}}};
    const auto compiled = compiler.compileAll(requests, {}).value().front();
    EXPECT_EQ(compiled.report.message, "");
    return {compiled.module,
            "main",
            {"32x64xf32=1", "64x64xf32=1", "64x48xf32=1", "1x10x10x8xf32=1", "3x3x8x16xf32=1"}};
  }

  Installation installation_ = findInstallation("").value();
  ScratchFolder folder_ = ScratchFolder::create("hone-dispatch-test").value();
  Limits limits_{std::chrono::seconds(60), 0};
};

TEST_P(DispatchTimesTest, TimesEveryDispatchOfAProgram) {
  const Device device = deviceNamed(GetParam());
  const std::string target = device.isLocal() ? "local" : device.driver();
  if (!chooseDevice(installation_, targetFrom(target).value(), device.name).value()) {
    GTEST_SKIP() << "no device " << device.name;
  }
  const auto times = dispatchTimes(installation_, device, limits_, callFor(target), 3);
  ASSERT_TRUE(times) << times.error().message;
  ASSERT_EQ(times->size(), 5u);
  std::int64_t twice = 0;
  for (const char* part : {"matmul_32x64x64_f32", "matmul_32x48x64_f32", "conv_8x8x16x3x3x8_f32",
                           "softmax_32x48xf32", "elementwise_2048_f32"}) {
    const auto at = std::find_if(times->begin(), times->end(), [&](const DispatchTime& time) {
      return time.name.contains(part);
    });
    ASSERT_NE(at, times->end()) << part;
    EXPECT_THAT(at->name, StartsWith("main_dispatch_"));
    EXPECT_EQ(at->invocationNs.size(), 3u) << "the first invocation is not counted";
    EXPECT_THAT(at->invocationNs, Each(Gt(0)));
    EXPECT_GT(at->totalNs, 0);
    EXPECT_EQ(at->busyNs > 0, device.isLocal());
    twice += at->calls == 2 ? 1 : 0;
    EXPECT_EQ(at->calls, part == std::string_view("matmul_32x64x64_f32") ? 2 : 1) << part;
  }
  EXPECT_EQ(twice, 1);
}

INSTANTIATE_TEST_SUITE_P(Devices, DispatchTimesTest,
                         ::testing::Values("local-sync", "local-task", "vulkan"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(DispatchTimesTest, ReportsFailures) {
  const Device device = deviceNamed("local-sync");
  const Call call = callFor("local");
  Call other = call;
  other.function = "missing";
  const auto missing = dispatchTimes(installation_, device, limits_, other, 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::user);
  EXPECT_THAT(missing.error().message, HasSubstr("missing"));
  EXPECT_FALSE(cannotBeTimed(missing.error())) << "the call itself fails";
  other = call;
  other.inputs[0] = "3x3xf32=1";
  EXPECT_FALSE(dispatchTimes(installation_, device, limits_, other, 1));
  EXPECT_FALSE(dispatchTimes(installation_, device, limits_, call, 0));
}

std::string hostEvent(const std::string& name, std::int64_t start, std::int64_t duration) {
  return fmt::format(
      R"({{"type":"host_dispatch_event","key":"{}","start_host_time_ns":{},"duration_ns":{},)"
      R"("valid":true,"tile_duration_sum_ns":{}}})"
      "\n",
      name, start, duration, 2 * duration);
}

std::vector<DispatchTime> read(const std::string& text, std::int64_t invocations) {
  return dispatchTimesFrom(text, invocations).value();
}

TEST(DispatchTimesFrom, DropsTheFirstInvocationAndTakesTheMedian) {
  std::string text = R"({"type":"dispatch_summary","total_host_dispatches":12})"
                     "\n";
  for (std::int64_t i = 0; i < 4; ++i) {  // b first in time, though not in the file
    const std::int64_t ns = i == 0 ? 9000 : i * 10;
    text += hostEvent("a", i * 100'000 + 10'000, ns) + hostEvent("a", i * 100'000 + 20'000, ns) +
            hostEvent("b", i * 100'000, 1 + i);
  }
  const auto times = read(text, 4);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].name, "b");
  EXPECT_EQ(times[0].calls, 1);
  EXPECT_EQ(times[0].totalNs, 3);
  EXPECT_EQ(times[1].name, "a");
  EXPECT_EQ(times[1].calls, 2);
  EXPECT_EQ(times[1].invocationNs, (std::vector<double>{20, 40, 60}));
  EXPECT_EQ(times[1].totalNs, 40);
  EXPECT_EQ(times[1].busyNs, 80);
}

TEST(DispatchTimesFrom, TakesTheMeanIfInvocationsDiffer) {
  const auto times = read(hostEvent("a", 1, 10) + hostEvent("a", 2, 20) + hostEvent("a", 3, 30), 2);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].calls, 2);
  EXPECT_EQ(times[0].totalNs, 30);
}

TEST(DispatchTimesFrom, AcceptsNoEventsAndOneInvocation) {
  EXPECT_TRUE(read("", 3).empty());
  EXPECT_TRUE(read("{\"type\":\"dispatch_summary\"}\n\n", 3).empty());
  EXPECT_EQ(read(hostEvent("a", 1, 10), 1)[0].totalNs, 10);
}

TEST(DispatchTimesFrom, RejectsEventsWithoutValidTime) {
  std::string event = hostEvent("main_dispatch_7", 1, 10);
  event.replace(event.find("true"), 4, "false");
  const auto invalid = dispatchTimesFrom(event, 1);
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().message,
            "the device reports no valid time for dispatch main_dispatch_7");
  EXPECT_TRUE(cannotBeTimed(invalid.error()));
  EXPECT_FALSE(dispatchTimesFrom(R"({"type":"dispatch_event","key":7})", 1));
  EXPECT_FALSE(dispatchTimesFrom("not JSON", 1));
}

RC_GTEST_PROP(DispatchTimesFrom, SurvivesGarbage, ()) {
  const auto invocations = *rc::gen::inRange<std::int64_t>(-1, 4);
  (void)dispatchTimesFrom(*rc::gen::string<std::string>(), invocations);
  std::string text = hostEvent("a", 1, 10) + hostEvent("b", 2, 20) + hostEvent("a", 3, 30);
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  if (const auto times = dispatchTimesFrom(text, invocations)) {
    for (const DispatchTime& time : *times) {
      RC_ASSERT(!time.name.empty() && time.calls >= 1 && !time.invocationNs.empty());
    }
  }
}

}  // namespace
}  // namespace hone::iree
