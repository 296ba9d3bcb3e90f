#include "app/bench/bench_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/rounds/rounds.h"
#include "report/render/table.h"
#include "stats/summary.h"

namespace hone::app {
namespace {

using model::Outcome;
using stats::Verdict;

std::string_view rankingTime(const iree::Device& device) {
  return device.rankBy == iree::RankBy::cpu ? "CPU time" : "wall time";
}

std::string verdictText(const engine::Finding& finding) {
  if (finding.comparison) {
    const stats::Comparison& comparison = *finding.comparison;
    return comparison.verdict == Verdict::ambiguous
               ? fmt::format("ambiguous (noise {:.1f} %)", 100 * comparison.floor)
               : std::string(nameOf(comparison.verdict));
  }
  if (finding.outcome == Outcome::ok) {
    return finding.message == engine::kNotBest ? finding.message : "";
  }
  return std::string(nameOf(finding.outcome));
}

std::string formatSpeedup(const engine::Finding& finding) {
  if (finding.comparison) {
    return fmt::format("{:.3f}x", finding.comparison->speedup.estimate);
  }
  return finding.estimatedSpeedup ? fmt::format("{:.2f}x", *finding.estimatedSpeedup) : "";
}

std::string formatSpeedupInterval(const engine::Finding& finding) {
  if (!finding.comparison) {
    return "";
  }
  const auto& speedup = finding.comparison->speedup;
  return fmt::format("{:.3f} - {:.3f}", speedup.low, speedup.high);
}

stats::Interval timeInterval(const engine::Finding& finding) {
  return stats::bootstrapMedian(finding.roundTimesNs, 0.95, 1);
}

std::string formatTime(const engine::Finding& finding) {
  return finding.timeNs > 0 ? humanTime(finding.timeNs) : "-";
}

/// Returns finalists by speedup, then other timed candidates by estimated speedup, then failures.
std::vector<const engine::Finding*> ranked(const std::vector<engine::Finding>& findings) {
  std::vector<const engine::Finding*> order;
  for (const engine::Finding& finding : findings) {
    order.push_back(&finding);
  }
  const auto rank = [](const engine::Finding* finding) {
    const int group = finding->comparison ? 0 : finding->timeNs > 0 ? 1 : 2;
    const double speedup = finding->comparison ? finding->comparison->speedup.estimate
                                               : finding->estimatedSpeedup.value_or(0);
    return std::pair(group, -speedup);
  };
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return order;
}

/// Prints the time of a single candidate and the spread over its rounds.
void printSingle(const engine::Finding& finding) {
  const stats::Interval interval = timeInterval(finding);
  const stats::Summary summary = stats::summarize(finding.roundTimesNs);
  fmt::print("{}  {}   95 % CI {} - {}   fastest {}   {} rounds\n", finding.config.name,
             humanTime(interval.estimate), humanTime(interval.low), humanTime(interval.high),
             humanTime(summary.min), summary.count);
}

/// Returns the findings and that of the alternative.
std::vector<engine::Finding> allFindings(const BenchRun& bench) {
  std::vector<engine::Finding> all = bench.findings;
  if (bench.alternative) {
    all.push_back(*bench.alternative);
  }
  return all;
}

void printTable(const BenchRun& bench) {
  using report::Align;
  report::Table table({{"", Align::left, 12},
                       {"time", Align::right},
                       {"speedup", Align::right},
                       {"95 % CI", Align::right},
                       {"verdict", Align::left}});
  bool first = true;
  const std::vector<engine::Finding> all = allFindings(bench);
  for (const engine::Finding* finding : ranked(all)) {
    table.add({finding->config.name, formatTime(*finding), first ? "" : formatSpeedup(*finding),
               formatSpeedupInterval(*finding), verdictText(*finding)});
    first = false;
  }
  fmt::print("{}", table.text(report::outputWidth()));
  first = true;
  for (const engine::Finding& finding : all) {
    if (!finding.message.empty() && finding.outcome != Outcome::tooSlow &&
        finding.message != engine::kNotBest) {
      fmt::print("{}{}: {}\n", first ? "\n" : "", finding.config.name, finding.message);
      first = false;
    }
  }
}

void printNotes(const BenchRun& bench) {
  const auto& baseline = bench.findings.front();
  double floor = 0;
  for (const engine::Finding& finding : allFindings(bench)) {
    floor = finding.comparison ? std::max(floor, finding.comparison->floor) : floor;
  }
  if (bench.findings.size() > 1 || bench.alternative) {
    fmt::print("\nnoise: {} varies by up to {:.2f} % in this run\n", baseline.config.name,
               floor * 100);
  }
  const bool listed = bench.findings.size() > 1 || bench.alternative;  // with its message
  const std::string why =
      listed || baseline.message.empty() ? "no independent reference" : baseline.message;
  if (baseline.expectation == engine::Expectation::reference) {
    fmt::print("results verified against {}\n",
               bench.plan.programs.front().model.empty() ? "oneDNN" : "ONNX Runtime");
  } else if (!engine::canBeCompared(bench.plan.programs.front())) {
    fmt::print("results not verified: unsupported result type\n");
  } else if (bench.findings.size() > 1) {
    fmt::print("results compared with {}; {}\n", baseline.config.name, why);
  } else {
    fmt::print("results not verified: {}\n", why);
  }
  const bool twoWay = !bench.plan.selects && bench.findings.size() == 2;
  if (twoWay && baseline.artifact == bench.findings[1].artifact) {
    fmt::print("A and B are the same binary: any difference is noise\n");
  }
  if (bench.plan.selects) {
    const engine::Finding* best = engine::findWinner(bench.findings);
    fmt::print("{}\n",
               best != nullptr
                   ? fmt::format("best: {}", best->config.name)
                   : "no config is significantly faster than the baseline; keep the baseline");
  }
}

model::BenchCandidate toBenchCandidate(const engine::Finding& finding) {
  model::BenchCandidate candidate;
  candidate.name = finding.config.name;
  candidate.outcome = finding.outcome;
  candidate.message = finding.message;
  candidate.artifact = finding.artifact;
  candidate.verified = nameOf(finding.expectation);
  candidate.sameAs = finding.sameAs;
  if (finding.timeNs > 0) {
    candidate.timeNs = finding.timeNs;
  }
  candidate.estimatedSpeedup = finding.estimatedSpeedup;
  if (!finding.roundTimesNs.empty()) {
    const stats::Interval interval = timeInterval(finding);
    candidate.timeInterval = model::TimeRange{interval.low, interval.high};
  }
  if (finding.comparison) {
    candidate.verdict = finding.comparison->verdict;
    candidate.speedup = finding.comparison->speedup;
    candidate.noiseFloor = finding.comparison->floor;
    candidate.rounds = static_cast<std::int64_t>(finding.comparison->rounds);
  }
  return candidate;
}

}  // namespace

model::BenchResult toResult(const BenchRun& bench) {
  model::BenchResult result{.run = bench.run,
                            .target = bench.target,
                            .device = bench.device.name,
                            .rankedBy = bench.device.rankBy == iree::RankBy::cpu ? "cpu" : "wall",
                            .candidates = {},
                            .ownCpuNs = std::nullopt};
  for (const engine::Finding& finding : allFindings(bench)) {
    result.candidates.push_back(toBenchCandidate(finding));
  }
  return result;
}

int reportBench(const Context& context, const BenchRun& bench, const nlohmann::json& summary) {
  if (context.json) {
    fmt::print("{}\n", jsonText(summary, 2));
  } else {
    fmt::print("{} on {}, ranked by {}\n\n", bench.plan.programs.front().fileName(),
               bench.device.name, rankingTime(bench.device));
    if (bench.findings.size() == 1 && !bench.alternative) {
      printSingle(bench.findings.front());
    } else {
      printTable(bench);
    }
    printNotes(bench);
    fmt::print("run {}: hone runs show {}; next: hone report {} -o report.html\n", bench.run,
               bench.run, bench.run);
  }
  if (bench.plan.selects || bench.findings.size() < 2) {
    return 0;
  }
  const engine::Finding& other = bench.findings[1];
  const bool regressed = other.comparison && other.comparison->verdict == Verdict::regressed;
  return other.outcome != Outcome::ok || regressed ? 1 : 0;
}

int reportCompileOnly(const Context& context, const std::string& target, const engine::Plan& plan,
                      const std::vector<iree::Compiled>& compiled) {
  nlohmann::json rows = nlohmann::json::array();
  report::Table table({{"", report::Align::left, 12},
                       {"compile", report::Align::right},
                       {"outcome", report::Align::left, 20}});
  std::string modules;  // printed below the table, which would truncate the paths
  bool allOk = true;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const iree::Compiled& one = compiled[i];
    const bool ok = one.report.status == iree::CompileReport::Status::ok;
    allOk = allOk && ok;
    const std::string& name = plan.candidates[i].config.name;
    rows.push_back({{"name", name},
                    {"compiled", ok},
                    {"message", one.report.message},
                    {"module", one.module.string()}});
    table.add({name,
               one.cached ? "cached" : humanTime(static_cast<double>(one.report.ending.wallNs)),
               ok ? "compiled" : one.report.message});
    modules += ok ? fmt::format("{}: {}\n", name, one.module.string()) : "";
  }
  if (context.json) {
    const nlohmann::json document = {
        {"target", target}, {"compile_only", true}, {"candidates", rows}};
    fmt::print("{}\n", jsonText(document, 2));
  } else {
    fmt::print("no {} device found: compiled only, nothing measured\n\n{}\n{}", target,
               table.text(report::outputWidth()), modules);
  }
  return allOk ? 0 : 1;
}

}  // namespace hone::app
