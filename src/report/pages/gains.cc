#include "report/pages/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.h"
#include "model/result/summary/bench_result.h"
#include "model/result/summary/kernel_result.h"
#include "model/result/summary/profile_result.h"
#include "model/result/summary/split_result.h"
#include "model/result/summary/tune_result.h"
#include "report/render/answer_text.h"
#include "report/render/table.h"

namespace hone::report {
namespace {

using model::ProfileRow;
using nlohmann::json;
using stats::Verdict;

constexpr double kNsPerUs = 1000;
constexpr const char* kFaster = "faster";
constexpr const char* kSlower = "slower";
constexpr const char* kAmbiguous = "ambiguous";

std::string verdictText(std::optional<Verdict> verdict) {
  return verdict == Verdict::improved    ? kFaster
         : verdict == Verdict::regressed ? kSlower
         : verdict == Verdict::neutral   ? "same"
                                         : kAmbiguous;
}

/// Returns the entry of an item without a significant speedup.
Gain unchanged(const std::string& what, const std::optional<double>& beforeNs) {
  return {.what = what,
          .beforeNs = orNone(beforeNs),
          .afterNs = kNone,
          .speedup = {kNone, kNone, kNone},
          .verdict = "same"};
}

std::vector<Gain> tuneGains(const model::TuneResult& result) {
  std::vector<Gain> gains;
  for (const model::TunedProgram& program : result.programs) {
    if (program.proof) {
      gains.push_back({.what = program.program,
                       .beforeNs = orNone(program.defaultNs),
                       .afterNs = orNone(program.proof->tunedNs),
                       .speedup = *program.proof->speedup,
                       .verdict = verdictText(program.proof->verdict)});
    } else {
      gains.push_back(unchanged(program.program, program.defaultNs));
    }
  }
  return gains;
}

Gain kernelGain(const std::string& name, const model::KernelOutcome& outcome) {
  const auto& confirmed = outcome.confirmed;
  if (outcome.improved != true || !confirmed || !confirmed->original.speedup) {
    return unchanged(name, confirmed ? confirmed->originalNs : std::nullopt);
  }
  return {.what = name,
          .beforeNs = orNone(confirmed->originalNs),
          .afterNs = orNone(confirmed->bestNs),
          .speedup = *confirmed->original.speedup,
          .verdict = verdictText(confirmed->original.verdict)};
}

std::vector<Gain> kernelGains(const model::KernelResult& result) {
  std::vector<Gain> gains;
  if (result.kernels) {
    for (const auto& [name, outcome] : *result.kernels) {
      gains.push_back(kernelGain(name, outcome));
    }
  } else if (result.outcome.improved) {
    gains.push_back(kernelGain(result.outcome.kernel, result.outcome));
  }
  return gains;
}

/// Returns the gain over all problems of a workload. The interval combines equal ends of the
/// intervals of all problems, so it is conservative.
std::vector<Gain> sweepGain(const model::SplitResult& result) {
  double before = 0;
  stats::Interval after{0, 0, 0};
  std::size_t problems = 0;
  std::size_t measured = 0;
  std::size_t improved = 0;
  std::size_t regressed = 0;
  std::size_t ambiguous = 0;
  for (const model::ValidatedSplit& one : result.validated) {
    const auto recommended = one.recommended();
    if (!one.baselineUs || !recommended) {
      continue;  // not measured
    }
    const double baselineNs = *one.baselineUs * kNsPerUs;
    const model::SplitChoice& taken = *recommended;
    // Without an interval it is the compiler's default.
    const auto speedup = taken.speedup.value_or(stats::Interval{1, 1, 1});
    measured += taken.speedup ? 1 : 0;
    improved += taken.verdict == Verdict::improved ? 1 : 0;
    ambiguous += taken.verdict == Verdict::ambiguous ? 1 : 0;
    regressed += taken.verdict == Verdict::regressed ? 1 : 0;
    ++problems;
    before += baselineNs;
    after.low += baselineNs / speedup.low;
    after.estimate += baselineNs / speedup.estimate;
    after.high += baselineNs / speedup.high;
  }
  if (problems == 0) {
    return {};
  }
  const std::string what = fmt::format("total of {}", counted(problems, "problem"));
  if (measured == 0) {  // the compiler's default is recommended for all
    return {unchanged(what, before)};
  }
  const stats::Interval total{before / after.low, before / after.estimate, before / after.high};
  const bool faster = improved > 0 && total.low > 1;
  const bool slower = regressed > 0 && total.high < 1;
  return {{.what = what,
           .beforeNs = before,
           .afterNs = after.estimate,
           .speedup = total,
           .verdict = faster                                  ? kFaster
                      : slower                                ? kSlower
                      : improved + regressed + ambiguous == 0 ? "same"
                                                              : kAmbiguous}};
}

/// Returns the gain of `hone split annotate`, which stores no times, only their ratio.
std::vector<Gain> annotationGain(const model::SplitAnnotation& annotation) {
  if (!annotation.speedup) {
    return {unchanged("program", std::nullopt)};
  }
  return {{.what = "program with splits",
           .beforeNs = kNone,
           .afterNs = kNone,
           .speedup = *annotation.speedup,
           .verdict = verdictText(annotation.verdict)}};
}

/// Returns the best candidate of a bench; of two candidates the second, even if it is slower.
std::vector<Gain> benchGain(const model::BenchResult& result) {
  const auto& candidates = result.candidates;
  if (candidates.size() < 2) {
    return {};
  }
  const double beforeNs = orNone(candidates.front().timeNs);
  std::optional<Gain> best;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const model::BenchCandidate& one = candidates[i];
    if (!one.speedup || (one.verdict != Verdict::improved && candidates.size() > 2) ||
        (best && best->speedup.estimate >= one.speedup->estimate)) {
      continue;
    }
    best = {.what = one.name,
            .beforeNs = beforeNs,
            .afterNs = orNone(one.timeNs),
            .speedup = *one.speedup,
            .verdict = verdictText(one.verdict)};
  }
  return {best.value_or(unchanged(candidates.front().name, candidates.front().timeNs))};
}

std::vector<Gain> profileGain(const model::ProfileResult& result) {
  std::map<std::string, ProfileRow> defaults;
  std::vector<ProfileRow> others;
  for (const ProfileRow& row : result.rows.value_or(std::vector<ProfileRow>())) {
    if (!row.measured() || row.provider != model::kIreeProvider) {
      continue;
    }
    if (row.configuration == model::kDefaultConfiguration) {
      defaults[row.operation] = row;
    } else {
      others.push_back(row);
    }
  }
  std::vector<Gain> best;
  for (const ProfileRow& row : others) {
    const auto own = defaults.find(row.operation);
    // Requires disjoint intervals.
    if (own == defaults.end() || row.highNs <= 0 || row.highNs >= own->second.lowNs) {
      continue;
    }
    const ProfileRow& before = own->second;
    const stats::Interval speedup{before.lowNs / row.highNs, before.timeNs / row.timeNs,
                                  before.highNs / row.lowNs};
    if (best.empty() || speedup.estimate > best.front().speedup.estimate) {
      best = {{.what = fmt::format("{} with {}", row.operation, row.tile),
               .beforeNs = before.timeNs,
               .afterNs = row.timeNs,
               .speedup = speedup,
               .verdict = kFaster}};
    }
  }
  return best;
}

Result<std::vector<Gain>> gainsByCommand(const std::string& command, const json& summary) {
  if (command == "tune") {
    return tuneGains(HONE_TRY(model::tuneResultFrom(summary)));
  }
  if (command == "kernel") {
    return kernelGains(HONE_TRY(model::kernelResultFrom(summary)));
  }
  if (command == "split") {
    const auto annotation = HONE_TRY(model::splitAnnotationFrom(summary));
    return annotation ? annotationGain(*annotation)
                      : sweepGain(HONE_TRY(model::splitResultFrom(summary)));
  }
  return command == "profile" ? profileGain(HONE_TRY(model::profileResultFrom(summary)))
                              : benchGain(HONE_TRY(model::benchResultFrom(summary)));
}

std::size_t count(std::span<const Gain> gains, std::string_view verdict) {
  return static_cast<std::size_t>(std::ranges::count(gains, verdict, &Gain::verdict));
}

}  // namespace

std::vector<Gain> readGains(const std::string& command, const json& summary) {
  // A result in an unknown format has no gains.
  return gainsByCommand(command, summary).value_or(std::vector<Gain>());
}

std::vector<Gain> collectGains(const RunRecord& record) {
  if (!record.finished()) {
    return {};
  }
  std::vector<Gain> gains = readGains(record.run.command, record.summary());
  for (Gain& gain : gains) {
    gain.run = record.run.id;
    gain.what = fmt::format("{}: {}", record.run.command, gain.what);
  }
  return gains;
}

Answer summarizeGains(std::span<const Gain> gains) {
  Answer answer;
  const std::size_t faster = count(gains, kFaster);
  const std::size_t slower = count(gains, kSlower);
  const Gain* most = nullptr;
  for (const Gain& gain : gains) {
    if (gain.verdict == kFaster &&
        (most == nullptr || gain.speedup.estimate > most->speedup.estimate)) {
      most = &gain;
    }
  }
  if (most == nullptr) {
    answer.headline = gains.empty() ? "These runs only measured; there is nothing to compare."
                                    : "No significant speedups.";
  } else {
    answer.headline = fmt::format("Significant speedups: {} of {}. Largest: {} is {}.", faster,
                                  gains.size(), most->what, asFast(most->speedup.estimate));
  }
  if (slower > 0) {
    answer.lines.push_back(fmt::format("Significant slowdowns: {} of {}.", slower, gains.size()));
  }
  for (const Gain& gain : gains) {
    if (gain.verdict == kFaster) {
      answer.lines.push_back(fmt::format("{}: {}", gain.what, speedupText(gain.speedup)));
    }
  }
  answer.tone = slower > 0   ? Answer::Tone::bad
                : faster > 0 ? Answer::Tone::good
                             : Answer::Tone::plain;
  return answer;
}

DataTable makeGainsTable(std::span<const Gain> gains) {
  DataTable table;
  table.title = "Speedups";
  table.empty = "None of these runs has a baseline to compare with.";
  table.columns = {{"run"},       {"item"},    {"speedup", "x"}, {"low", "x"},
                   {"high", "x"}, {"verdict"}, {"before", "ns"}, {"after", "ns"}};
  for (const Gain& gain : gains) {
    table.columns[0].numbers.push_back(static_cast<double>(gain.run));
    table.columns[1].texts.push_back(gain.what);
    table.addInterval(2, gain.speedup);
    table.columns[5].texts.push_back(gain.verdict);
    table.columns[6].numbers.push_back(gain.beforeNs);
    table.columns[7].numbers.push_back(gain.afterNs);
  }
  return table;
}

std::string formatGains(std::span<const Gain> gains, std::size_t width) {
  Table table({{"run", Align::right},
               {"item", Align::left, 16},
               {"before", Align::right},
               {"after", Align::right},
               {"speedup", Align::right},
               {"95 % CI", Align::right},
               {""}});
  const auto time = [](double ns) { return std::isnan(ns) ? "-" : humanTime(ns); };
  for (const Gain& gain : gains) {
    const bool known = !std::isnan(gain.speedup.estimate);
    table.add({std::to_string(gain.run), gain.what, time(gain.beforeNs), time(gain.afterNs),
               known ? fmt::format("{:.2f}x", gain.speedup.estimate) : "-",
               known ? fmt::format("{:.2f} - {:.2f}", gain.speedup.low, gain.speedup.high) : "-",
               gain.verdict});
  }
  return table.text(width);
}

}  // namespace hone::report
