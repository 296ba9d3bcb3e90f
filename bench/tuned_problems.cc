// Runs `hone tune` on 20 matmuls from DeepBench and 10 forward convolutions, in f32 on one thread.
// Reports the speedup over the compiler's default, and the fraction of oneDNN's speed. The tuner's
// output is measured again by `hone bench` with other inputs, to expose gains by chance. BUDGET
// sets the budget per problem (default: 60s).
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "iree/mlir/problem_mlir.h"
#include "model/problem/profiler_name.h"
#include "model/workload/workload.h"
#include "problem_lines.h"
#include "report/render/table.h"
#include "stats/compare.h"
#include "support.h"
#include "tune/program/program_flags.h"
#include "tune/proof/spec_files.h"

namespace hone::bench {
namespace {

/// Duration of measuring the tuner's output again.
constexpr const char* kVerifyBudget = "8s";

struct Tuned {
  std::string name;  ///< as printed by the profiler
  double flops = 0;
  double seconds = 0;
  stats::Interval claimed{1, 1, 1};  ///< by the tuner; 1: no output
  stats::Interval speedup{1, 1, 1};  ///< measured again
  stats::Verdict verdict = stats::Verdict::neutral;
  double tunedNs = 0;
  double libraryGflops = 0;
  [[nodiscard]] double gflops() const { return flops / tunedNs; }
};

/// Returns the compiler flags that apply the tuner's output.
std::string flagsFrom(const nlohmann::json& program, const std::filesystem::path& spec) {
  std::vector<std::string> flags = program.at("flags");
  for (std::string& flag : flags) {
    if (flag.starts_with(tune::kScriptFlag)) {
      const std::string script = tune::fileBeside(spec, "", "preprocessing.mlir");
      flag = fmt::format("{}{}", tune::kScriptFlag, script);
    }
  }
  if (!program.at("spec").get<std::string>().empty()) {
    flags.push_back(fmt::format("--iree-codegen-tuning-spec-path={}", spec.string()));
  }
  return join(flags, " ");
}

/// Compares the program with the spec and flags to the original.
Result<void> verifyTuned(const std::filesystem::path& folder, const model::Problem& problem,
                         const std::string& flags, Tuned& tuned) {
  const auto source = folder / "problem.mlir";
  HONE_CHECK(writeFile(source, iree::emitMlir(problem)));
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"bench", source, "--device", "local-sync", "--flags-b", flags,
                                "--seed", "7", "--budget", kVerifyBudget}));
  const auto& other = answer.json.at("candidates").at(1);
  if (!other.contains("verdict")) {
    return machineError("{} with {}: {}", tuned.name, flags, other.at("message").dump());
  }
  const auto& speedup = other.at("speedup");
  tuned.speedup = {speedup.at("low"), speedup.at("estimate"), speedup.at("high")};
  tuned.verdict = stats::verdictFrom(other.at("verdict").get<std::string>())
                      .value_or(stats::Verdict::ambiguous);
  tuned.tunedNs = other.at("time_ns");
  return {};
}

Result<Tuned> tune(const std::filesystem::path& folder, const std::string& line,
                   const std::string& budget) {
  Tuned tuned;
  const auto problems = HONE_TRY(model::problemsFromLine(line));
  tuned.name = profilerName(problems.front());
  tuned.flops = countFlops(problems.front());
  const auto spec = folder / "spec.mlir";
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"tune", "--problem", line, "--device", "local-sync", "--budget",
                                budget, "-o", spec}));
  tuned.seconds = answer.seconds;
  const auto& program = answer.json.at("programs").at(0);
  if (!program.at("improved").get<bool>()) {
    tuned.tunedNs = program.at("default_ns");
    return tuned;
  }
  const auto& speedup = program.at("speedup");
  tuned.claimed = {speedup.at("low"), speedup.at("estimate"), speedup.at("high")};
  HONE_CHECK(verifyTuned(folder, problems.front(), flagsFrom(program, spec), tuned));
  return tuned;
}

/// Measures oneDNN's speed by problem name.
Result<std::map<std::string, double>> librarySpeeds(const std::filesystem::path& folder,
                                                    const std::vector<std::string>& lines) {
  const auto file = folder / "workload.txt";
  HONE_CHECK(writeFile(file, join(lines, "\n") + "\n"));
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"profile", file, "--providers", "onednn", "--device", "local-sync",
                                "--generated-dir", folder / "generated"}));
  std::map<std::string, double> speeds;
  for (const auto& row : answer.json.at("rows")) {
    speeds[row.at("operation").get<std::string>()] = row.value("gflops", 0.0);
  }
  return speeds;
}

/// Prints geometric means of a subset of the problems.
void printMeans(std::string_view what, std::span<const Tuned> tuned) {
  double speedups = 0;
  double shares = 0;
  std::size_t improved = 0;
  std::size_t regressed = 0;
  for (const Tuned& one : tuned) {
    speedups += std::log(one.speedup.estimate);
    shares += std::log(one.gflops() / one.libraryGflops);
    improved += one.verdict == stats::Verdict::improved ? 1 : 0;
    regressed += one.verdict == stats::Verdict::regressed ? 1 : 0;
  }
  const auto count = static_cast<double>(tuned.size());
  fmt::print(
      "{}: geomean {:.2f}x, {} improved, {} neutral, {} regressed; {:.0f} % of oneDNN's speed\n",
      what, std::exp(speedups / count), improved, tuned.size() - improved - regressed, regressed,
      100 * std::exp(shares / count));
}

Result<void> measure(const Options& options) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-tuned"));
  const char* given = std::getenv("BUDGET");
  const std::string budget = given != nullptr ? given : options.quick ? "15s" : "60s";
  const auto lines = problemLines(options.quick);
  auto speeds = HONE_TRY(librarySpeeds(scratch.path(), lines));
  std::vector<Tuned> all;
  for (const std::string& line : lines) {
    all.push_back(HONE_TRY(tune(scratch.path(), line, budget)));
    Tuned& one = all.back();
    one.libraryGflops = speeds[one.name];
    if (one.libraryGflops <= 0) {
      return machineError("no oneDNN time for {}", one.name);
    }
    fmt::print("{:60} {:>18} {:9} tuner {:.2f}x {:7.1f} of {:7.1f} GFLOP/s, {:.0f} s\n", one.name,
               formatInterval(one.speedup), nameOf(one.verdict), one.claimed.estimate, one.gflops(),
               one.libraryGflops, one.seconds);
  }
  const std::size_t matmuls = options.quick ? 2 : 20;
  printMeans("matmuls", std::span(all).first(matmuls));
  printMeans("convolutions", std::span(all).subspan(matmuls));
  printMeans("all (aim 2.5x, 70 %)", all);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("tuned_problems", argc, argv, hone::bench::measure);
}
