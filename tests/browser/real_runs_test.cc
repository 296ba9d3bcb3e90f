// Pages of real runs on small problems, in a browser.
#include "browser/page_test.h"

namespace hone::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

/// Opens all tabs; none may be empty or write to the console.
constexpr const char* kOpenAllTabs = R"(
  let opened = 0;
  for (let round = 0; round < 2; ++round) {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      if (tab.isConnected) {
        tab.click();
        hone.drawAll();
        ++opened;
      }
    }
  }
  return opened;
)";

TEST_F(PageTest, ShowsProfile) {
  const CommandResult ran =
      box().hone({"profile", "--problem-m=8,64", "--problem-n=16", "--problem-k=32", "--providers",
                  "iree,onednn", "--configs", "all", "--quiet"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("hone report 1 -o report.html"));
  openReport(1);
  EXPECT_THAT(headline(), HasSubstr("verified, none wrong"));
  EXPECT_THAT(titles(), IsSupersetOf({"GFLOP/s by dispatch and provider", "Roofline", "Failures",
                                      "Dispatches"}));
  const nlohmann::json roof = run(R"(
    const part = hone.document.parts.find((one) => one.title === "Roofline");
    return part.series.filter((one) => one.role === "baseline")[0];
  )");
  EXPECT_THAT(roof.at("name").get<std::string>(), HasSubstr("GB/s)"));
  EXPECT_EQ(roof.at("x").size(), 3U) << "memory, ridge point, arithmetic";
  expectGoodPage();
}

TEST_F(PageTest, ShowsSplit) {
  box().write("shapes.txt",
              "gemm -m 32 -n 48 -k 20480\n"
              "gemm -m 8 -n 8 -k 65536\n"
              "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -p 1 -q 1 -F 4\n");
  const CommandResult ran =
      box().hone({"split", "quick", "shapes.txt", "--type", "f32", "--quiet"});
  ASSERT_LE(ran.code, 1) << ran.err;  // 1: a shape got slower, which can be noise
  EXPECT_THAT(ran.out, HasSubstr("hone report 1 -o report.html"));
  openReport(1);
  EXPECT_THAT(
      titles(),
      IsSupersetOf({"Speedup of the recommended limits over the compiler's default",
                    "Default and recommended limits", "Runtime over limit",
                    "Slowdown by problem and limit",
                    "Matmuls by best limit, with the recommended ladder", "Regret on matmuls"}));
  EXPECT_EQ(run("return hone.document.parts.find((one) => one.type === 'heat').rows.length"), 3);
  expectGoodPage();
}

TEST_F(PageTest, ShowsTune) {
  box().write("m.mlir", matmulText(96, 128, 160));
  const CommandResult ran = box().hone({"tune", "m.mlir", "--budget", "24trials", "--rounds", "5",
                                        "--keep-flags", "-o", "spec.mlir", "--quiet"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("hone report 1 -o report.html"));
  openReport(1);
  EXPECT_THAT(titles(), IsSupersetOf({"Best so far", "Knobs", "Effect of each knob",
                                      "Candidates by knob values", "One knob at a time"}));
  EXPECT_THAT(
      run("return [...document.querySelectorAll('[role=tab]')].map((one) => one.textContent)")
          .get<std::vector<std::string>>(),
      Contains("over time"))
      << "trials have a time stamp";
  EXPECT_GT(run(kOpenAllTabs), 3);
  expectGoodPage();
}

TEST_F(PageTest, ShowsKernel) {
  // No flag fixes a column-wise inner loop: the source must change.
  box().write("product.cc", R"(#include <cstdint>
extern "C" void kernel(const float* A, const float* B, float* C, std::int64_t N) {
  for (std::int64_t i = 0; i < N; ++i) {
    for (std::int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < N; ++k) {
        sum += A[i * N + k] * B[k * N + j];
      }
      C[i * N + j] = sum;
    }
  }
}
)");
  box().write("product.reference.cc", R"(#include <cstdint>
// hone: sizes N=96
// hone: other N=17
// hone: input A f32 NxN
// hone: input B f32 NxN
// hone: output C f32 NxN
// hone: flops 2*N*N*N
extern "C" void reference(const double* A, const double* B, double* C, std::int64_t N) {
  for (std::int64_t i = 0; i < N; ++i) {
    for (std::int64_t j = 0; j < N; ++j) {
      C[i * N + j] = 0;
      for (std::int64_t k = 0; k < N; ++k) {
        C[i * N + j] += A[i * N + k] * B[k * N + j];
      }
    }
  }
}
)");
  const CommandResult ran = box().hone({"kernel", "optimize", "--kernel", "product.cc", "--rounds",
                                        "5", "--max-iterations", "1", "--quiet"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("hone report 1 -o report.html"));
  openReport(1);
  EXPECT_THAT(headline(), HasSubstr("product is "));
  EXPECT_THAT(titles(), IsSupersetOf({"Speedup per turn", "Candidates", "Analysis",
                                      "Changes of the winner"}));
  EXPECT_GT(run("return document.querySelectorAll('pre.diff .added').length"), 0);
  EXPECT_GT(run("return document.querySelectorAll('pre.diff .removed').length"), 0);
  expectGoodPage();
}

TEST_F(PageTest, ShowsBench) {
  box().write("m.mlir", matmulText(64, 64, 64));
  box().write("c.json", nlohmann::json({tiles("a", 8, 16, 1), tiles("b", 4, 16, 1)}).dump());
  const CommandResult ran =
      box().hone({"bench", "m.mlir", "--configs", "c.json", "--rounds", "5", "--quiet"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("hone report 1 -o report.html"));
  openReport(1);
  EXPECT_THAT(titles(), IsSupersetOf({"Speedup over baseline", "Candidates"}));
  expectGoodPage();
}

}  // namespace
}  // namespace hone::test
