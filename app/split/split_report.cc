#include "app/split/split_report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/split/split_result.h"
#include "app/split/split_tally.h"
#include "base/file.h"
#include "base/text/csv.h"
#include "base/text/text.h"
#include "report/render/table.h"
#include "split/fit/recommendation.h"
#include "split/report/analysis_text.h"

namespace hone::app {
namespace {

using split::ValidationRecord;
using stats::Verdict;

constexpr const char* kNotMeasured = "N.A.";
constexpr const char* kAnalysisFile = "comprehensive_analysis.txt";

split::Validation makeValidation(const SplitOutcome& outcome) {
  if (outcome.validation.empty()) {
    return outcome.filed;
  }
  const auto kinds = kindsByArguments(outcome);
  split::Validation validation;
  validation.withoutBaseline =
      static_cast<std::int64_t>(outcome.records.size() - outcome.validation.size());
  for (const ValidationRecord& record : outcome.validation) {
    const auto choice = record.choices.find(recommendedWay(outcome, kinds.at(record.arguments)));
    if (record.baselineUs <= 0 || choice == record.choices.end()) {
      ++validation.failed;
      continue;
    }
    split::ValidatedShape shape;
    shape.arguments = record.arguments;
    shape.baselineUs = record.baselineUs;
    shape.optimizedUs = record.baselineUs / choice->second.speedup();
    if (choice->second.comparison) {
      shape.speedup = choice->second.comparison->speedup;
    }
    shape.verdict = decideVerdict(choice->second);
    validation.shapes.push_back(std::move(shape));
  }
  return validation;
}

std::string optimizedCsv(const split::Validation& validation) {
  CsvWriter csv;
  csv.row({"arguments", "iree_boo_experimental mean"});
  for (const split::ValidatedShape& shape : validation.shapes) {
    csv.row({shape.arguments, fmt::format("{:.6g}", shape.optimizedUs)});
  }
  return csv.text();
}

void printValidation(const SplitOutcome& outcome) {
  const auto oracle = makeTally(outcome.validation, kOracle).geomean();
  const auto ratioText = [](const std::optional<double>& ratio) {
    return ratio ? fmt::format("{:.2f}x", *ratio) : kNotMeasured;
  };
  report::Table table({{"code"},
                       {"total", report::Align::right},
                       {"geomean", report::Align::right},
                       {"improved", report::Align::right},
                       {"neutral", report::Align::right},
                       {"ambiguous", report::Align::right},
                       {"regressed", report::Align::right},
                       {"vs. oracle", report::Align::right}});
  for (const char* name : validatedWays(outcome)) {
    const Tally tally = makeTally(outcome.validation, name);
    const auto geomean = tally.geomean();
    table.add(
        {name, ratioText(tally.total()), ratioText(geomean),
         std::to_string(tally.count(Verdict::improved)),
         std::to_string(tally.count(Verdict::neutral)),
         std::to_string(tally.count(Verdict::ambiguous)),
         std::to_string(tally.count(Verdict::regressed)),
         geomean && oracle ? fmt::format("{:.0f} %", 100 * *geomean / *oracle) : kNotMeasured});
  }
  fmt::print("\nspeedup over the compiler's default, interleaved:\n{}",
             table.text(report::outputWidth()));
}

void printCounts(const SplitOutcome& outcome) {
  std::int64_t compiled = 0;
  for (const split::ShapeRecord& record : outcome.records) {
    compiled += record.compiled;
  }
  const auto& sweep = outcome.analysis.sweep;
  const auto asked = sweep.shapes.size() * (sweep.limits.size() + 2);
  fmt::print("{} shapes, {} trials requested", sweep.shapes.size(), asked);
  if (compiled > 0) {
    fmt::print(", {} distinct ones compiled and measured", compiled);
  }
  fmt::print(", {} failed\n", sweep.failures.size());
  if (outcome.run > 0) {
    fmt::print("sweep {:.0f} s, validation {:.0f} s\n", outcome.sweepSeconds,
               outcome.validateSeconds);
  }
  for (const std::string& failure : sweep.failures) {
    fmt::print("  {}\n", failure);
  }
}

using Kinds = std::map<std::string, model::ReductionKind>;

void countVerdict(Verdict verdict, model::ValidationCounts& counts) {
  switch (verdict) {
    case Verdict::improved:
      ++counts.improved;
      break;
    case Verdict::neutral:
      ++counts.neutral;
      break;
    case Verdict::ambiguous:
      ++counts.ambiguous;
      break;
    case Verdict::regressed:
      ++counts.regressed;
      break;
  }
}

/// Counts the verdicts of one way to split; nullopt if no shape of the kind was measured.
std::optional<model::ValidationCounts> countVerdicts(const std::vector<ValidationRecord>& records,
                                                     const std::string& way, const Kinds& kinds,
                                                     model::ReductionKind kind) {
  std::optional<model::ValidationCounts> counts;
  for (const ValidationRecord& record : records) {
    const auto known = kinds.find(record.arguments);
    if (known == kinds.end() || known->second != kind || record.baselineUs <= 0) {
      continue;
    }
    counts = counts.value_or(model::ValidationCounts{});
    const auto choice = record.choices.find(way);
    if (choice == record.choices.end()) {
      ++counts->failed;
    } else {
      countVerdict(decideVerdict(choice->second), *counts);
    }
  }
  return counts;
}

/// Counts the verdicts of a validation read from files.
std::optional<model::ValidationCounts> countVerdicts(const split::Validation& filed,
                                                     const Kinds& kinds,
                                                     model::ReductionKind kind) {
  std::optional<model::ValidationCounts> counts;
  for (const split::ValidatedShape& shape : filed.shapes) {
    const auto known = kinds.find(shape.arguments);
    if (known != kinds.end() && known->second == kind) {
      counts = counts.value_or(model::ValidationCounts{});
      countVerdict(shape.verdict, *counts);
    }
  }
  return counts;
}

/// Recommends writing a patch unless the code gains nothing.
void printNext(const SplitOutcome& outcome) {
  std::optional<std::string> reason;
  bool gains = false;
  for (const split::Recommendation& one : outcome.analysis.recommendations) {
    const auto why = split::reasonToKeepCompilersCode(one.taken());
    gains = gains || !why;
    reason = why && (!reason || one.taken().validated) ? why : reason;
    if (one.taken().validated && one.taken().validated->regressed > 0) {
      gains = false;
      reason = why;
      break;
    }
  }
  const char* start = "next: ";
  if (gains) {
    fmt::print("{}hone split apply --source SetSplitReductionSizes.cpp --results {}\n", start,
               outcome.folder.string());
    start = "      ";
  } else {
    fmt::print("keep the compiler's code: {}\n", reason.value_or("no recommendation"));
  }
  if (outcome.run > 0) {
    fmt::print("{}hone report {} -o report.html\n", start, outcome.run);
  }
}

void printRanking(const split::LimitRanking& ranking) {
  report::Table table({{"limit", report::Align::right},
                       {"geomean", report::Align::right},
                       {"median", report::Align::right},
                       {"P95", report::Align::right},
                       {"total", report::Align::right}});
  constexpr double kNsPerUs = 1000;
  const auto add = [&](const std::string& name,
                       const std::optional<split::LimitStatistics>& statistics) {
    std::vector<std::string> cells = {name};
    for (double split::LimitStatistics::* const member :
         {&split::LimitStatistics::geomeanUs, &split::LimitStatistics::medianUs,
          &split::LimitStatistics::p95Us, &split::LimitStatistics::totalUs}) {
      cells.push_back(statistics ? humanTime(*statistics.*member * kNsPerUs) : kNotMeasured);
    }
    table.add(cells);
  };
  add("baseline", ranking.baseline);
  add("no split", ranking.noSplit);
  for (const split::LimitStatistics& one : ranking.limits) {
    add(std::to_string(one.limit), one);
  }
  for (const split::SparseRow& one : ranking.sparse) {
    if (one.row.kind == split::SummaryRow::Kind::limit) {
      add(std::to_string(one.row.limit), std::nullopt);
    }
  }
  fmt::print("\n{}", table.text(report::outputWidth()));
}

/// Returns 1 if the recommended code regresses a shape or a trial computed a wrong result.
int exitCodeFor(const SplitOutcome& outcome) {
  const auto& failures = outcome.analysis.sweep.failures;
  const bool bad = makeValidation(outcome).count(Verdict::regressed) > 0 ||
                   std::any_of(failures.begin(), failures.end(),
                               [](const std::string& why) { return why.contains(": mismatch: "); });
  return bad ? 1 : 0;
}

}  // namespace

void preferFewerRegressions(SplitOutcome& outcome) {
  const auto kinds = kindsByArguments(outcome);
  for (split::Recommendation& one : outcome.analysis.recommendations) {
    const auto regressed = [&](const char* way) {
      const Tally tally = makeTally(outcome.validation, [&](const ValidationRecord& record) {
        return kinds.at(record.arguments) == one.oneD.heuristic.kind ? std::string(way) : "";
      });
      return tally.count(Verdict::regressed);
    };
    const std::int64_t taken = regressed(one.takeTwoD ? kTwoD : kOneD);
    const std::int64_t other = regressed(one.takeTwoD ? kOneD : kTwoD);
    if (other < taken) {
      one.takeTwoD = !one.takeTwoD;
      one.why =
          fmt::format("{}: slows down {} shapes, {} slows down {}", one.takeTwoD ? kTwoD : kOneD,
                      other, one.takeTwoD ? kOneD : kTwoD, taken);
    }
  }
}

void addVerdicts(SplitOutcome& outcome) {
  std::map<std::string, model::ReductionKind> kinds;
  for (const split::ShapeResult& shape : outcome.analysis.sweep.shapes) {
    kinds[shape.arguments] = shape.reduction.kind;
  }
  for (split::Recommendation& one : outcome.analysis.recommendations) {
    const model::ReductionKind kind = one.oneD.heuristic.kind;
    if (outcome.validation.empty()) {
      (one.takeTwoD ? one.twoD : one.oneD).validated = countVerdicts(outcome.filed, kinds, kind);
      continue;
    }
    if (!outcome.built.empty()) {
      split::FittedHeuristic& taken = one.takeTwoD ? one.twoD : one.oneD;
      if (std::ranges::find(outcome.built, taken.heuristic) != outcome.built.end()) {
        taken.validated = countVerdicts(outcome.validation, kBuilt, kinds, kind);
      }
      continue;
    }
    one.oneD.validated = countVerdicts(outcome.validation, kOneD, kinds, kind);
    one.twoD.validated = countVerdicts(outcome.validation, kTwoD, kinds, kind);
  }
}

Result<void> writeReports(const SplitOutcome& outcome) {
  const split::Validation validation = makeValidation(outcome);
  const bool validated = !validation.shapes.empty();
  HONE_CHECK(writeFile(
      outcome.folder / kAnalysisFile,
      analysisText(outcome.analysis, validated ? std::optional(validation) : std::nullopt)));
  if (!outcome.validation.empty()) {
    HONE_CHECK(writeFile(outcome.folder / fmt::format("optimized_config_{}.csv", outcome.stem),
                         optimizedCsv(validation)));
  }
  return split::writeRecommendations(outcome.folder, outcome.analysis.recommendations);
}

Result<std::filesystem::path> resultsFolder(const std::string& given) {
  if (!given.empty()) {
    if (!std::filesystem::is_directory(given)) {
      return userError("{}: not a results folder", given);
    }
    return std::filesystem::path(given);
  }
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(".", ignored)) {
    if (entry.is_directory() && entry.path().filename().string().ends_with("_results")) {
      found.push_back(entry.path().filename());
    }
  }
  if (found.size() != 1) {
    return userError("found {} *_results folders; specify one, e.g. hone split analyze x_results",
                     found.empty() ? "no" : std::to_string(found.size()));
  }
  return found.front();
}

int report(const Context& context, const SplitOutcome& outcome) {
  if (context.json) {
    fmt::print("{}\n", toJson(toResult(outcome)).dump(2));
    return exitCodeFor(outcome);
  }
  printCounts(outcome);
  printRanking(outcome.analysis.ranking);
  if (!outcome.validation.empty()) {
    printValidation(outcome);
  }
  for (const split::Recommendation& one : outcome.analysis.recommendations) {
    if (one.oneD.heuristic.form == split::SourceForm::functions) {
      fmt::print("\n{}s: use {}\n", model::nameOf(one.oneD.heuristic.kind), one.why);
    }
  }
  const std::string folder = outcome.folder.string();
  fmt::print("\nreport: {}/{}\n", folder, kAnalysisFile);
  printNext(outcome);
  return exitCodeFor(outcome);
}

int GroupReports::add(const std::string& devices, const SplitOutcome& outcome) {
  if (!context_.json) {
    fmt::print("{}device {}\n", first_ ? "" : "\n", devices);
    first_ = false;
    return report(context_, outcome);
  }
  nlohmann::json document = toJson(toResult(outcome));
  document["device"] = devices;
  documents_.push_back(std::move(document));
  return exitCodeFor(outcome);
}

void GroupReports::finish() const {
  if (context_.json) {
    fmt::print("{}\n", documents_.dump(2));
  }
}

}  // namespace hone::app
