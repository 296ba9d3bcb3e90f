#include "browser/sample_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.h"

namespace hone::test {
namespace {

using model::Outcome;
using model::Sample;
using model::Stage;
using nlohmann::json;
using store::Store;
using store::Trial;

constexpr double kDefaultNs = 13.7e6;
constexpr std::int64_t kRounds = 20;
constexpr const char* kScope = "main_dispatch_0_matmul_512x768x1024_f32";

store::Run makeRun(const std::string& command, const std::string& program) {
  store::Run run;
  run.key = command + program;
  run.command = command;
  run.arguments = {command, program};
  run.workingFolder = "/tmp";
  run.startedAt = "2026-01-02T03:04:05Z";
  run.honeVersion = "0.1.0";
  run.compilerRevision = "3.13.0";
  run.host = "sample";
  run.cpu = "a CPU";
  run.target = "local";
  run.device = "local-sync";
  run.seed = 1;
  return run;
}

std::vector<Sample> makeSamples(Stage stage, std::int64_t rounds, double ns, Random& random) {
  std::vector<Sample> samples;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const double noisy = ns * (1 + 0.04 * random.uniform());
    samples.push_back({.stage = stage, .round = round, .wallNs = noisy * 1.01, .cpuNs = noisy});
  }
  return samples;
}

constexpr std::array kKnobs = {
    "distribution.d0",           "distribution.d1", "vector_reduction.d2",
    "vector_common_parallel.d0", "unroll",          "loop_peeling"};

constexpr const char* kConstantKnob = "stages";

struct Point {
  std::array<std::int64_t, kKnobs.size()> values;

  [[nodiscard]] std::string name() const {
    std::string name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      name += fmt::format("{}={} ", kKnobs[i], values[i]);
    }
    return fmt::format("{}{}=2", name, kConstantKnob);
  }
  /// Fastest with 64x32 tiles; each doubling away from that costs time, other knobs a little.
  [[nodiscard]] double ns() const {
    const auto doublings = [&](std::size_t knob, double from) {
      return std::abs(std::log2(static_cast<double>(values[knob]) / from));
    };
    return kDefaultNs * (0.5 + 0.12 * (doublings(0, 64) + doublings(1, 32)) +
                         0.02 * doublings(2, 4) + 0.04 * doublings(3, 8) + 0.01 * doublings(4, 1) +
                         0.05 * static_cast<double>(1 - values[5]));
  }
};

constexpr std::size_t kPoints = 10'080;

/// Returns all points in a pseudo-random order.
Point pointAt(std::size_t number) {
  constexpr std::size_t kStride = 7919;  // coprime to kPoints
  std::size_t rest = number * kStride % kPoints;
  Point point{};
  constexpr std::array<std::size_t, kKnobs.size()> kValues = {7, 6, 5, 4, 6, 2};
  constexpr std::array<std::size_t, kKnobs.size()> kLeast = {2, 2, 0, 1, 0, 0};
  for (std::size_t knob = 0; knob < kValues.size(); ++knob) {
    const std::size_t place = rest % kValues[knob];
    rest /= kValues[knob];
    point.values[knob] =
        knob == 5 ? static_cast<std::int64_t>(place) : std::int64_t{1} << (place + kLeast[knob]);
  }
  return point;
}

Trial makeTrial(const std::string& key, const std::string& problem, const std::string& scope,
                const std::string& name, std::int64_t atMs) {
  Trial trial;
  trial.key = key;
  trial.problem = problem;
  trial.config.name = name;
  trial.compileWallNs = 480'000'000;
  trial.details.scope = scope;
  trial.details.atMs = atMs;
  trial.details.cached = false;
  return trial;
}

/// Adds rounds of the whole program with and without the spec.
Result<void> addProof(Store& store, std::int64_t run, const std::string& program, double tunedNs,
                      Random& random) {
  const auto add = [&](const std::string& name, double ns, bool twin) -> Result<void> {
    Trial trial = makeTrial("proof " + name, program, "proof", name, 100'000);
    trial.details.twin = twin;
    HONE_CHECK(store.addTrial(run, trial, makeSamples(Stage::final, kRounds, ns, random)));
    return {};
  };
  HONE_CHECK(add("default", kDefaultNs, false));
  HONE_CHECK(add("default (again)", kDefaultNs, true));
  return add("the spec", tunedNs, false);
}

json tuneSummary(const std::string& program, const std::string& winner, double tunedNs,
                 std::size_t tried) {
  const double speedup = kDefaultNs / tunedNs;
  const json interval = {{"low", speedup * 0.98}, {"estimate", speedup}, {"high", speedup * 1.02}};
  const json dispatch = {
      {"name", kScope},  {"share", 0.97}, {"space", kPoints},
      {"tried", tried},  {"failed", 0},   {"default_ns", kDefaultNs},
      {"in_spec", true}, {"calls", 1},    {"winner", {{"point", winner}, {"speedup", interval}}}};
  const auto times = [](double ns) {
    return json::array({json{{"name", kScope}, {"calls", 1}, {"time_ns", 0.97 * ns}},
                        json{{"name", "main_dispatch_1_elementwise"},
                             {"calls", 1},
                             {"time_ns", 0.03 * kDefaultNs}}});
  };
  return {
      {"programs",
       {{{"program", program},
         {"improved", true},
         {"default_ns", kDefaultNs},
         {"tuned_ns", tunedNs},
         {"speedup", interval},
         {"verdict", "improved"},
         {"flags", json::array()},
         {"spec", "module @hone_tuning_spec {}\n"},
         {"dispatch_times", {{"before", times(kDefaultNs)}, {"after", times(tunedNs)}}},
         {"variants", {{{"name", ""}, {"flags", json::array()}, {"dispatches", {dispatch}}}}}}}}};
}

}  // namespace

Result<std::int64_t> addTuneRun(Store& store, std::size_t candidates, const std::string& program) {
  Random random(7);
  store::Run described = makeRun("tune", program);
  for (const char* knob : kKnobs) {
    described.details.spaces[kScope].push_back({.name = knob, .ordered = true});
  }
  described.details.spaces[kScope].push_back({.name = kConstantKnob, .ordered = true});
  const std::int64_t run = HONE_TRY(store.addRun(described));
  Trial baseline = makeTrial("default", program, kScope, "default", 0);
  baseline.details.screenNs = kDefaultNs;
  HONE_CHECK(store.addTrial(run, baseline, makeSamples(Stage::screen, 3, kDefaultNs, random)));
  std::string winner;
  double bestNs = kDefaultNs;
  for (std::size_t i = 0; i < candidates; ++i) {
    const Point point = pointAt(i);
    const double ns = point.ns() * (1 + 0.05 * random.uniform());
    Trial trial = makeTrial(fmt::format("candidate {}", i), program, kScope, point.name(),
                            static_cast<std::int64_t>(500 * (i + 1)));
    const bool broken = i % 29 == 28;
    if (broken) {
      trial.outcome = Outcome::compileFailed;
      trial.message = "the tile does not divide the loop";
    } else {
      trial.details.screenNs = ns;
      if (ns < bestNs) {
        bestNs = ns;
        winner = point.name();
      }
    }
    const auto samples = makeSamples(Stage::screen, broken ? 0 : 3, ns, random);
    HONE_CHECK(store.addTrial(run, trial, samples));
  }
  HONE_CHECK(addProof(store, run, program, bestNs, random));
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished,
                             tuneSummary(program, winner, bestNs, candidates)));
  return run;
}

namespace {

constexpr std::array<std::int64_t, 7> kLimits = {1, 4, 8, 16, 64, 128, 256};

json timingUs(double us) { return {us, us * 0.97, us * 1.1, us, us * 0.02}; }

json shapeAt(std::size_t number, Random& random) {
  const std::int64_t m = std::int64_t{16} << (number % 5);
  const std::int64_t k = std::int64_t{4096} << (number / 5 % 5);
  const double flops = 2.0 * static_cast<double>(m * m * k);
  const double bestLimit =
      std::clamp(static_cast<double>(k) / 512 / static_cast<double>(m), 1.0, 256.0);
  const auto timeAt = [&](double limit) {
    const double away = std::abs(std::log2(limit / bestLimit));
    return flops / 20e3 * (1 + 0.15 * away) * (1 + 0.02 * random.uniform());
  };
  json limits = json::object();
  for (const std::int64_t limit : kLimits) {
    if (number % 11 != 10 || limit != 256) {
      limits[std::to_string(limit)] = timingUs(timeAt(static_cast<double>(limit)));
    }
  }
  const json reduction = {{"kind", "matmul"}, {"batch_first", false}, {"batch_size", 1},
                          {"k_size", 0},      {"m_size", m},          {"n_size", m},
                          {"sizes", {k}}};
  return {{"race", std::to_string(number)},
          {"arguments", fmt::format("gemm -m {} -n {} -k {} -t {}", m, m, k, number)},
          {"reduction", reduction},
          {"limits", limits},
          {"baseline", timingUs(timeAt(16))},
          {"no_split", timingUs(timeAt(1))},
          {"failures", json::array()},
          {"compiled", 7}};
}

json regretJson(double ratio, std::size_t shapes) {
  return {{"shapes", shapes},     {"unknown", 0},    {"geomean_ratio", ratio},
          {"worst_ratio", ratio}, {"total_us", 100}, {"best_total_us", 90},
          {"improved", shapes},   {"neutral", 0},    {"regressed", 0},
          {"speedup", 1.2}};
}

json fitJson(bool twoD, std::size_t shapes) {
  json bands = json::array();
  for (const auto& [below, limit] : {std::pair{1024, 128}, {16384, 32}, {131072, 8}}) {
    const json steps =
        twoD ? json::array({{{"reduction_below", 16384}, {"limit", limit / 4}}}) : json::array();
    bands.push_back({{"output_below", below}, {"steps", steps}, {"limit", limit}});
  }
  return {{"heuristic",
           {{"kind", "matmul"},
            {"form", "functions"},
            {"bands", bands},
            {"cap", 2},
            {"large_parallel", 8388608},
            {"small_reduction", 2048},
            {"ratio", 4}}},
          {"in_sample", regretJson(twoD ? 1.03 : 1.09, shapes)},
          {"left_out", regretJson(twoD ? 1.05 : 1.11, shapes)},
          {"code_lines", 12}};
}

json tallyJson(std::size_t shapes, double speedup) {
  return {{"shapes", shapes},
          {"total_speedup", speedup * 1.1},
          {"geomean_speedup", speedup},
          {"improved", shapes},
          {"neutral", 0},
          {"ambiguous", 0},
          {"regressed", 0}};
}

}  // namespace

Result<std::int64_t> addSplitRun(Store& store, std::size_t shapes) {
  Random random(11);
  store::Run described = makeRun("split", fmt::format("workload{}.txt", shapes));
  described.device = "local-task";
  const std::int64_t run = HONE_TRY(store.addRun(described));
  json summary = {{"run", run}, {"results", "workload_results"}, {"failures", json::array()}};
  for (std::size_t i = 0; i < shapes; ++i) {
    summary["shapes"].push_back(shapeAt(i, random));
    const double gain = 1 + 0.6 * random.uniform();
    const json& shape = summary["shapes"].back();
    const double baselineUs = shape["baseline"][3];
    summary["validated"].push_back({{"arguments", shape["arguments"]},
                                    {"baseline_us", baselineUs},
                                    {"taken", "2-D"},
                                    {"choices",
                                     {{"2-D",
                                       {{"time_us", baselineUs / gain},
                                        {"verdict", "improved"},
                                        {"speedup", {gain * 0.97, gain, gain * 1.04}}}}}}});
  }
  summary["recommendations"]["recommendations"] = {{{"one_d", fitJson(false, shapes)},
                                                    {"two_d", fitJson(true, shapes)},
                                                    {"take_two_d", true},
                                                    {"why", "2-D: it is nearer to the best"}}};
  summary["validation"] = {{"1-D", tallyJson(shapes, 1.22)},
                           {"2-D", tallyJson(shapes, 1.28)},
                           {"oracle", tallyJson(shapes, 1.35)},
                           {"recommended", tallyJson(shapes, 1.28)}};
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  return run;
}

}  // namespace hone::test
