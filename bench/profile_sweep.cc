// Compares `hone profile` with the wheel's command-line tools on ten f32 matmuls of 128 x (128 to
// 1280) x 256: generated, compiled, verified and measured from scratch. The tools are used as in
// the Python dispatch profiler, one shape after the other: two compiles, iree-run-module against a
// numpy reference in int64, and iree-benchmark-module with 5 repetitions. The methods alternate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "iree/mlir/problem_mlir.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 6;
constexpr std::int64_t kFirst = 128;
constexpr std::int64_t kLast = 1280;

/// Time of a method, and the relative widths of its 95 % confidence intervals of the median.
struct Sweep {
  double seconds = 0;
  std::vector<double> widths;
};

Result<Sweep> byHone(const std::filesystem::path& folder, std::int64_t last) {
  HONE_CHECK(makeFolder(folder));
  const HoneOutput answer = HONE_TRY(runHone(
      folder, {"profile", "--problem-m=128", fmt::format("--problem-n={}:{}:128", kFirst, last),
               "--problem-k=256", "--type", "f32", "--output", folder / "data.csv",
               "--generated-dir", folder}));
  Sweep sweep{answer.seconds, {}};
  for (const auto& row : answer.json.at("rows")) {
    if (row.value("verification", "") != "SUCCESS" || !row.contains("time_ns")) {
      return machineError("hone profile: {}", row.dump());
    }
    sweep.widths.push_back((row["high_ns"].get<double>() - row["low_ns"].get<double>()) /
                           row["time_ns"].get<double>());
  }
  return sweep;
}

/// Generates inputs and the expected result like that profiler: small integers, summed in int64.
constexpr std::string_view kReference = R"(
import os, sys, numpy
os.chdir(sys.argv[1])
m, n, k = (int(a) for a in sys.argv[2:5])
numpy.random.seed(42)
lhs = numpy.random.randint(-2, 3, (m, k))
rhs = numpy.random.randint(-2, 3, (k, n))
numpy.save("lhs.npy", lhs.astype(numpy.float32))
numpy.save("rhs.npy", rhs.astype(numpy.float32))
numpy.save("expected.npy", numpy.matmul(lhs.astype(numpy.int64), rhs.astype(numpy.int64)).astype(numpy.float32))
)";

Result<double> parseWidth(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<double> times;
  for (const auto& entry : json.value("benchmarks", nlohmann::json::array())) {
    if (entry.value("run_type", "") == "iteration") {
      times.push_back(entry.at("cpu_time").get<double>());
    }
  }
  if (times.empty()) {
    return machineError("no times in the output of iree-benchmark-module");
  }
  const stats::Interval interval = stats::bootstrapMedian(times, 0.95, 1);
  return (interval.high - interval.low) / interval.estimate;
}

Result<Sweep> byTools(const iree::Installation& installation, const std::filesystem::path& folder,
                      std::int64_t last) {
  HONE_CHECK(makeFolder(folder));
  const auto bin = installation.site.parent_path().parent_path().parent_path() / "bin";
  const auto in = [&](const char* name) { return (folder / name).string(); };
  HONE_CHECK(writeFile(in("reference.py"), std::string(kReference)));
  const std::int64_t startNs = nowNs();
  Sweep sweep;
  for (std::int64_t n = kFirst; n <= last; n += 128) {
    HONE_CHECK(
        writeFile(in("matmul.mlir"), iree::emitMlir(model::Matmul{.m = 128, .n = n, .k = 256})));
    for (const char* module : {"verify.vmfb", "profile.vmfb"}) {
      HONE_CHECK(runCommandOutput({bin / "iree-compile", in("matmul.mlir"),
                                   "--iree-hal-target-device=local",
                                   "--iree-hal-local-target-device-backends=llvm-cpu",
                                   "--iree-llvmcpu-target-cpu=host", "-o", in(module)}));
    }
    HONE_CHECK(runCommandOutput(
        {bin / "python", in("reference.py"), folder, "128", std::to_string(n), "256"}));
    const std::vector<std::string> call = {"--device=local-sync", "--function=main",
                                           fmt::format("--input=@{}", in("lhs.npy")),
                                           fmt::format("--input=@{}", in("rhs.npy"))};
    std::vector<std::string> verify = {bin / "iree-run-module",
                                       fmt::format("--module={}", in("verify.vmfb")),
                                       fmt::format("--expected_output=@{}", in("expected.npy"))};
    verify.insert(verify.end(), call.begin(), call.end());
    HONE_CHECK(runCommandOutput(verify));
    std::vector<std::string> time = {bin / "iree-benchmark-module",
                                     fmt::format("--module={}", in("profile.vmfb")),
                                     "--benchmark_repetitions=5", "--benchmark_format=json"};
    time.insert(time.end(), call.begin(), call.end());
    sweep.widths.push_back(HONE_TRY(parseWidth(HONE_TRY(runCommandOutput(time)))));
  }
  sweep.seconds = static_cast<double>(nowNs() - startNs) / 1e9;
  return sweep;
}

Result<void> measure(const Options& options) {
  const std::int64_t repeats = options.repeats > 0 ? options.repeats : options.quick ? 1 : 3;
  const std::int64_t last = options.quick ? 2 * kFirst : kLast;
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-profile-sweep"));
  const iree::Installation installation = HONE_TRY(iree::findInstallation(""));
  using report::Align;
  report::Table table({{"run", Align::right},
                       {"hone", Align::right},
                       {"tools", Align::right},
                       {"ratio", Align::right},
                       {"width, hone", Align::right},
                       {"width, tools", Align::right}});
  std::vector<double> ratios;
  std::vector<double> widthsHone;
  std::vector<double> widthsTools;
  for (std::int64_t i = 0; i < repeats; ++i) {
    const auto folder = scratch.path() / std::to_string(i);
    HONE_CHECK(makeFolder(folder));
    const Sweep hone = HONE_TRY(byHone(folder / "hone", last));
    const Sweep tools = HONE_TRY(byTools(installation, folder / "tools", last));
    ratios.push_back(tools.seconds / hone.seconds);
    widthsHone.insert(widthsHone.end(), hone.widths.begin(), hone.widths.end());
    widthsTools.insert(widthsTools.end(), tools.widths.begin(), tools.widths.end());
    table.add({std::to_string(i + 1), fmt::format("{:.1f} s", hone.seconds),
               fmt::format("{:.1f} s", tools.seconds), fmt::format("{:.2f}x", ratios.back()),
               fmt::format("{:.1f} %", 100 * stats::median(hone.widths)),
               fmt::format("{:.1f} %", 100 * stats::median(tools.widths))});
  }
  fmt::print("{}", table.text());
  const stats::Interval ratio = ratioInterval(ratios);
  fmt::print(
      "{} matmuls from scratch: speedup of hone {}; median CI width {:.1f} %, of the tools "
      "{:.1f} %; aim {:.0f}x: {}\n",
      (last - kFirst) / 128 + 1, formatInterval(ratio), 100 * stats::median(widthsHone),
      100 * stats::median(widthsTools), kAim, ratio.estimate >= kAim ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("profile_sweep", argc, argv, hone::bench::measure);
}
