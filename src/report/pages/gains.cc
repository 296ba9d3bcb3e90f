#include "report/pages/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "model/result/profile_row.h"
#include "report/render/answer_text.h"
#include "report/render/table.h"

namespace hone::report {
namespace {

using model::ProfileRow;
using nlohmann::json;

constexpr double kNsPerUs = 1000;
constexpr const char* kFaster = "faster";
constexpr const char* kSlower = "slower";

std::string wordOf(const std::string& verdict) {
  return verdict == "improved"    ? kFaster
         : verdict == "regressed" ? kSlower
         : verdict == "neutral"   ? "same"
                                  : "unsure";
}

/// Where nothing was surely faster, what there was stays.
Gain stays(const std::string& what, double beforeNs) {
  return {.what = what,
          .beforeNs = beforeNs > 0 ? beforeNs : kNone,
          .afterNs = kNone,
          .speedup = {kNone, kNone, kNone},
          .verdict = "same"};
}

std::vector<Gain> ofTune(const json& summary) {
  std::vector<Gain> gains;
  for (const json& program : memberOf(summary, "programs")) {
    const std::string name = textIn(program, "program");
    if (const auto speedup = intervalFrom(memberOf(program, "speedup"))) {
      gains.push_back({.what = name,
                       .beforeNs = numberIn(program, "default_ns"),
                       .afterNs = numberIn(program, "tuned_ns"),
                       .speedup = *speedup,
                       .verdict = wordOf(textIn(program, "verdict"))});
    } else {
      gains.push_back(stays(name, numberIn(program, "default_ns")));
    }
  }
  return gains;
}

Gain ofKernel(const std::string& name, const json& outcome) {
  const json& confirmed = memberOf(outcome, "confirmed");
  const json& original = memberOf(confirmed, "original");
  const auto over = intervalFrom(original);
  if (memberOf(outcome, "improved") != true || !over) {
    return stays(name, numberIn(confirmed, "original_ns"));
  }
  return {.what = name,
          .beforeNs = numberIn(confirmed, "original_ns"),
          .afterNs = numberIn(confirmed, "best_ns"),
          .speedup = *over,
          .verdict = wordOf(textIn(original, "verdict"))};
}

std::vector<Gain> ofKernels(const json& summary) {
  std::vector<Gain> gains;
  const json& kernels = memberOf(summary, "kernels");
  if (kernels.is_object()) {
    for (const auto& [name, outcome] : kernels.items()) {
      gains.push_back(ofKernel(name, outcome));
    }
  } else if (!memberOf(summary, "improved").is_null()) {
    gains.push_back(ofKernel(textIn(summary, "kernel"), summary));
  }
  return gains;
}

/// All problems of a workload together. Its interval takes every problem at the same end of its
/// own, so it is rather too wide.
std::vector<Gain> ofSweep(const json& summary) {
  double before = 0;
  stats::Interval after{0, 0, 0};
  std::size_t problems = 0;
  std::size_t improved = 0;
  std::size_t regressed = 0;
  for (const json& one : memberOf(summary, "validated")) {
    const double baselineNs = numberIn(one, "baseline_us") * kNsPerUs;
    if (!(baselineNs > 0)) {
      continue;
    }
    const json& taken = memberOf(memberOf(one, "choices"), textIn(one, "taken").c_str());
    const auto speedup =
        intervalFrom(memberOf(taken, "speedup")).value_or(stats::Interval{1, 1, 1});
    const std::string verdict = textIn(taken, "verdict");
    improved += verdict == "improved" ? 1 : 0;
    regressed += verdict == "regressed" ? 1 : 0;
    ++problems;
    before += baselineNs;
    after.low += baselineNs / speedup.low;
    after.estimate += baselineNs / speedup.estimate;
    after.high += baselineNs / speedup.high;
  }
  if (problems == 0) {
    return {};
  }
  const stats::Interval total{before / after.low, before / after.estimate, before / after.high};
  const bool faster = improved > 0 && total.low > 1;
  const bool slower = regressed > 0 && total.high < 1;
  return {{.what = fmt::format("{} together", counted(problems, "problem")),
           .beforeNs = before,
           .afterNs = after.estimate,
           .speedup = total,
           .verdict = faster                      ? kFaster
                      : slower                    ? kSlower
                      : improved + regressed == 0 ? "same"
                                                  : "unsure"}};
}

/// Of `hone split annotate`: it keeps no times, only their ratio.
std::vector<Gain> ofAnnotated(const json& summary) {
  const auto speedup = intervalFrom(memberOf(summary, "speedup"));
  if (!speedup) {
    return {stays("the program", kNone)};
  }
  return {{.what = "the program with splits",
           .beforeNs = kNone,
           .afterNs = kNone,
           .speedup = *speedup,
           .verdict = wordOf(textIn(summary, "verdict"))}};
}

/// The best of a bench; of a pair that one, also where it lost.
std::vector<Gain> ofBench(const json& summary) {
  const json& candidates = memberOf(summary, "candidates");
  if (!candidates.is_array() || candidates.size() < 2) {
    return {};
  }
  const double beforeNs = numberIn(candidates.front(), "time_ns");
  std::optional<Gain> best;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const auto speedup = intervalFrom(memberOf(candidates[i], "speedup"));
    const std::string verdict = textIn(candidates[i], "verdict");
    if (!speedup || (verdict != "improved" && candidates.size() > 2) ||
        (best && best->speedup.estimate >= speedup->estimate)) {
      continue;
    }
    best = {.what = textIn(candidates[i], "name"),
            .beforeNs = beforeNs,
            .afterNs = numberIn(candidates[i], "time_ns"),
            .speedup = *speedup,
            .verdict = wordOf(verdict)};
  }
  return {best.value_or(stays(textIn(candidates.front(), "name"), beforeNs))};
}

std::vector<Gain> ofProfile(const json& summary) {
  std::map<std::string, ProfileRow> defaults;
  std::vector<ProfileRow> others;
  for (const json& one : memberOf(summary, "rows")) {
    const auto row = model::profileRowFrom(one);
    if (!row || !row->measured() || row->provider != model::kIreeProvider) {
      continue;
    }
    if (row->configuration == model::kDefaultConfiguration) {
      defaults[row->operation] = *row;
    } else {
      others.push_back(*row);
    }
  }
  std::vector<Gain> best;
  for (const ProfileRow& row : others) {
    const auto own = defaults.find(row.operation);
    // Only where the two intervals do not meet.
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

std::vector<Gain> ofVerb(const std::string& verb, const json& summary) {
  if (verb == "tune") {
    return ofTune(summary);
  }
  if (verb == "kernel") {
    return ofKernels(summary);
  }
  if (verb == "split") {
    return memberOf(summary, "operations").is_array() ? ofAnnotated(summary) : ofSweep(summary);
  }
  return verb == "profile" ? ofProfile(summary) : ofBench(summary);
}

std::size_t count(std::span<const Gain> gains, std::string_view verdict) {
  return static_cast<std::size_t>(std::ranges::count(gains, verdict, &Gain::verdict));
}

}  // namespace

std::vector<Gain> gainsOf(const RunRecord& record) {
  if (!record.finished()) {
    return {};
  }
  std::vector<Gain> gains = ofVerb(record.run.verb, record.run.summary);
  for (Gain& gain : gains) {
    gain.run = record.run.id;
    gain.what = fmt::format("{}: {}", record.run.verb, gain.what);
  }
  return gains;
}

Answer answerOf(std::span<const Gain> gains) {
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
    answer.headline = gains.empty() ? "These runs only measured: nothing was made faster."
                                    : "Nothing was surely made faster.";
  } else {
    answer.headline = fmt::format("{} of {} got faster for sure. The most: {} is {}.", faster,
                                  gains.size(), most->what, asFast(most->speedup.estimate));
  }
  if (slower > 0) {
    answer.lines.push_back(fmt::format("{} of {} got slower for sure.", slower, gains.size()));
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

DataTable tableOf(std::span<const Gain> gains) {
  DataTable table;
  table.title = "What got faster";
  table.empty = "None of these runs compared anything with what there was before.";
  table.columns = {{"run"},          {"what"},     {"before", "ns"}, {"after", "ns"},
                   {"speedup", "x"}, {"low", "x"}, {"high", "x"},    {"verdict"}};
  for (const Gain& gain : gains) {
    table.columns[0].numbers.push_back(static_cast<double>(gain.run));
    table.columns[1].texts.push_back(gain.what);
    table.columns[2].numbers.push_back(gain.beforeNs);
    table.columns[3].numbers.push_back(gain.afterNs);
    table.columns[4].numbers.push_back(gain.speedup.estimate);
    table.columns[5].numbers.push_back(gain.speedup.low);
    table.columns[6].numbers.push_back(gain.speedup.high);
    table.columns[7].texts.push_back(gain.verdict);
  }
  return table;
}

std::string textOf(std::span<const Gain> gains, std::size_t width) {
  Table table({{"run", Align::right},
               {"what", Align::left, 16},
               {"before", Align::right},
               {"after", Align::right},
               {"speedup", Align::right},
               {"95 % interval", Align::right},
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
