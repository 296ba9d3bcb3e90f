#include "app/bench/bench_report.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "store/records.h"

namespace hone::app {
namespace {

using model::Outcome;
using stats::Verdict;

std::string_view rankingTime(const iree::Device& device) {
  return device.rankBy == iree::RankBy::cpu ? "CPU time" : "wall time";
}

std::string verdictOf(const engine::Finding& finding) {
  if (finding.comparison) {
    return std::string(nameOf(finding.comparison->verdict));
  }
  if (finding.outcome == Outcome::ok) {
    return finding.message == engine::kNotBest ? finding.message : "";
  }
  return std::string(nameOf(finding.outcome));
}

std::string speedupOf(const engine::Finding& finding, double baselineNs) {
  if (finding.comparison) {
    return fmt::format("{:.3f}x", finding.comparison->speedup.estimate);
  }
  return finding.timeNs > 0 ? fmt::format("{:.2f}x", baselineNs / finding.timeNs) : "";
}

std::string intervalOf(const engine::Finding& finding) {
  if (!finding.comparison) {
    return "";
  }
  const auto& speedup = finding.comparison->speedup;
  return fmt::format("{:.3f} - {:.3f}", speedup.low, speedup.high);
}

stats::Interval timeInterval(const engine::Finding& finding) {
  return stats::bootstrapMedian(finding.roundTimesNs, 0.95, 1);
}

std::string timeOf(const engine::Finding& finding) {
  return finding.timeNs > 0 ? humanTime(finding.timeNs) : "-";
}

/// Finalists by speed first, then what was screened, then what failed.
std::vector<const engine::Finding*> ranked(const std::vector<engine::Finding>& findings) {
  std::vector<const engine::Finding*> order;
  for (const engine::Finding& finding : findings) {
    order.push_back(&finding);
  }
  const auto rank = [](const engine::Finding* finding) {
    const int group = finding->comparison ? 0 : finding->timeNs > 0 ? 1 : 2;
    const double speed =
        finding->comparison ? -finding->comparison->speedup.estimate : finding->timeNs;
    return std::pair(group, speed);
  };
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return order;
}

/// The baseline alone: its time with the spread of the rounds.
void printSingle(const engine::Finding& finding) {
  const stats::Interval interval = timeInterval(finding);
  const stats::Summary summary = stats::summarize(finding.roundTimesNs);
  fmt::print("{}  {}   95% interval {} - {}   fastest {}   {} rounds\n", finding.config.name,
             humanTime(interval.estimate), humanTime(interval.low), humanTime(interval.high),
             humanTime(summary.min), summary.count);
}

void printTable(const BenchResult& result) {
  using report::Align;
  report::Table table({{"", Align::left, 12},
                       {"time", Align::right},
                       {"speedup", Align::right},
                       {"95% interval", Align::right},
                       {"verdict", Align::left}});
  const double baselineNs = result.findings.front().timeNs;
  bool first = true;
  for (const engine::Finding* finding : ranked(result.findings)) {
    table.add({finding->config.name, timeOf(*finding), first ? "" : speedupOf(*finding, baselineNs),
               intervalOf(*finding), verdictOf(*finding)});
    first = false;
  }
  fmt::print("{}", table.text(report::outputWidth()));
  first = true;
  for (const engine::Finding& finding : result.findings) {
    if (!finding.message.empty() && finding.outcome != Outcome::tooSlow &&
        finding.message != engine::kNotBest) {
      fmt::print("{}{}: {}\n", first ? "\n" : "", finding.config.name, finding.message);
      first = false;
    }
  }
}

void printNotes(const BenchResult& result) {
  const auto& baseline = result.findings.front();
  double floor = 0;
  for (const engine::Finding& finding : result.findings) {
    floor = finding.comparison ? std::max(floor, finding.comparison->floor) : floor;
  }
  if (result.findings.size() > 1) {
    fmt::print("\nnoise: {} differs from itself by up to {:.2f} % in this run\n",
               baseline.config.name, floor * 100);
  }
  if (baseline.against == engine::Against::reference) {
    fmt::print("results verified against oneDNN\n");
  } else if (!engine::canBeCompared(result.plan.programs.front())) {
    fmt::print("results not verified: hone cannot read them back\n");
  } else if (result.findings.size() > 1) {
    fmt::print("results compared with those of {}; there is no independent reference\n",
               baseline.config.name);
  } else {
    fmt::print("results not verified: there is no independent reference\n");
  }
  const bool twoWay = !result.plan.selects && result.findings.size() == 2;
  if (twoWay && baseline.artifact == result.findings[1].artifact) {
    fmt::print("both are the same binary: what differs is noise\n");
  }
  if (result.plan.selects) {
    const engine::Finding* best = engine::winnerOf(result.findings);
    fmt::print("{}\n", best != nullptr
                           ? fmt::format("best: {}", best->config.name)
                           : "nothing is surely faster than the compiler's own choice: keep it");
  }
}

}  // namespace

nlohmann::json toJson(const BenchResult& result) {
  nlohmann::json json = {{"run", result.run},
                         {"target", result.target},
                         {"device", result.device.name},
                         {"ranked_by", result.device.rankBy == iree::RankBy::cpu ? "cpu" : "wall"},
                         {"candidates", nlohmann::json::array()}};
  for (const engine::Finding& finding : result.findings) {
    nlohmann::json entry = {
        {"name", finding.config.name},         {"outcome", nameOf(finding.outcome)},
        {"message", finding.message},          {"artifact", finding.artifact},
        {"verified", nameOf(finding.against)}, {"time_ns", finding.timeNs}};
    if (!finding.sameAs.empty()) {
      entry["same_as"] = finding.sameAs;
    }
    if (!finding.roundTimesNs.empty()) {
      const stats::Interval interval = timeInterval(finding);
      entry["time_interval_ns"] = {interval.low, interval.high};
    }
    if (finding.comparison) {
      const stats::Comparison& comparison = *finding.comparison;
      entry["verdict"] = nameOf(comparison.verdict);
      entry["speedup"] = {{"estimate", comparison.speedup.estimate},
                          {"low", comparison.speedup.low},
                          {"high", comparison.speedup.high}};
      entry["noise_floor"] = comparison.floor;
      entry["rounds"] = comparison.rounds;
    }
    json["candidates"].push_back(std::move(entry));
  }
  return json;
}

int reportBench(const Context& context, const BenchResult& result, const nlohmann::json& summary) {
  if (context.json) {
    fmt::print("{}\n", store::jsonText(summary, 2));
  } else {
    fmt::print("{} on {}, ranked by {}\n\n",
               result.plan.programs.front().source.filename().string(), result.device.name,
               rankingTime(result.device));
    if (result.findings.size() == 1) {
      printSingle(result.findings.front());
    } else {
      printTable(result);
    }
    printNotes(result);
    fmt::print("run {}: hone runs show {}; next: hone report {} -o report.html\n", result.run,
               result.run, result.run);
  }
  if (result.plan.selects || result.findings.size() < 2) {
    return 0;
  }
  const engine::Finding& other = result.findings[1];
  const bool regressed = other.comparison && other.comparison->verdict == Verdict::regressed;
  return other.outcome != Outcome::ok || regressed ? 1 : 0;
}

int reportCompileOnly(const Context& context, const std::string& target, const engine::Plan& plan,
                      const std::vector<iree::Compiled>& compiled) {
  nlohmann::json rows = nlohmann::json::array();
  report::Table table({{"", report::Align::left, 12},
                       {"compile", report::Align::right},
                       {"outcome", report::Align::left, 20}});
  std::string modules;  // a path that is cut is of no use: they stand below the table
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
    fmt::print("{}\n", store::jsonText(document, 2));
  } else {
    fmt::print(
        "{} is compile-only: this machine has no device for it; nothing was measured\n\n{}\n{}",
        target, table.text(report::outputWidth()), modules);
  }
  return allOk ? 0 : 1;
}

}  // namespace hone::app
