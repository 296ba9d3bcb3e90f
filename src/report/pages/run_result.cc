#include "report/pages/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text/text.h"
#include "model/result/run_failure.h"
#include "model/result/summary/bench_result.h"
#include "model/result/summary/kernel_result.h"
#include "model/result/summary/profile_result.h"
#include "model/result/summary/split_result.h"
#include "model/result/summary/tune_result.h"
#include "report/pages/gains.h"
#include "report/pages/split/split_document.h"
#include "report/render/answer_text.h"
#include "report/render/tune_reasons.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

using nlohmann::json;

constexpr const char* kNoSpeedup = "no speedup";

std::string noSpeedup(const std::string& why) {
  return why.empty() ? kNoSpeedup : fmt::format("{}: {}", kNoSpeedup, why);
}

/// Returns "faster: 1.35x (95 % CI 1.30–1.39)".
std::string gainText(const Gain& gain) {
  return std::isnan(gain.speedup.estimate)
             ? kNoSpeedup
             : fmt::format("{}: {}", gain.verdict, speedupText(gain.speedup));
}

/// Returns "2 of 3 programs faster; largest: 1.35x (95 % CI 1.30–1.39), m".
std::string gainsText(const std::vector<Gain>& gains, std::string_view what) {
  const Gain* largest = nullptr;
  std::size_t faster = 0;
  for (const Gain& gain : gains) {
    if (gain.verdict != "faster") {
      continue;
    }
    ++faster;
    if (largest == nullptr || gain.speedup.estimate > largest->speedup.estimate) {
      largest = &gain;
    }
  }
  const std::string count = fmt::format("{} of {} faster", faster, counted(gains.size(), what));
  return largest == nullptr ? count
                            : fmt::format("{}; largest: {}, {}", count,
                                          speedupText(largest->speedup), largest->what);
}

Result<std::string> tuneText(const json& summary) {
  const model::TuneResult result = HONE_TRY(model::tuneResultFrom(summary));
  const std::vector<Gain> gains = readGains("tune", summary);
  if (gains.empty()) {
    return "no program tuned";
  }
  if (gains.size() > 1) {
    return gainsText(gains, "program");
  }
  const model::TunedProgram& program = result.programs.front();
  return program.proof ? gainText(gains.front()) : noSpeedup(explainNoGainBriefly(program));
}

Result<std::string> kernelText(const json& summary) {
  const model::KernelResult result = HONE_TRY(model::kernelResultFrom(summary));
  const std::vector<Gain> gains = readGains("kernel", summary);
  if (result.kernels) {
    return gainsText(gains, "kernel");
  }
  if (result.listed) {
    return fmt::format("{} measured", counted(result.listed->size(), "kernel"));
  }
  if (gains.empty()) {
    return "";
  }
  const model::KernelOutcome& outcome = result.outcome;
  return std::isnan(gains.front().speedup.estimate)
             ? noSpeedup(outcome.note.empty() ? outcome.why : outcome.note)
             : gainText(gains.front());
}

Result<std::string> splitText(const json& summary) {
  const std::vector<Gain> gains = readGains("split", summary);
  if (const auto annotation = HONE_TRY(model::splitAnnotationFrom(summary))) {
    return annotation->speedup ? gainText(gains.front())
                               : noSpeedup("no operation benefits from a split");
  }
  const model::SplitResult result = HONE_TRY(model::splitResultFrom(summary));
  if (!gains.empty()) {
    return fmt::format("{}, {}", gainText(gains.front()), gains.front().what);
  }
  if (const model::SplitTally* tally = recommendedTally(result);
      tally != nullptr && tally->totalSpeedup) {
    return fmt::format("{:.2f}x, total of {}", *tally->totalSpeedup,
                       counted(static_cast<std::size_t>(tally->shapes), "problem"));
  }
  return result.shapes
             ? fmt::format("{} swept, none validated", counted(result.shapes->size(), "problem"))
             : "";
}

/// Returns "14 operations, 62 % of the roofline, 2 failures". The share is the median over the
/// operations of the best of IREE.
Result<std::string> profileText(const json& summary) {
  const model::ProfileResult result = HONE_TRY(model::profileResultFrom(summary));
  if (!result.rows) {
    return "";
  }
  std::map<std::string, double> shares;
  std::set<std::string> operations;
  std::size_t failures = 0;
  for (const model::ProfileRow& row : *result.rows) {
    operations.insert(row.operation);
    failures += row.failed() ? 1 : 0;
    if (row.provider == model::kIreeProvider && row.rooflineShare() > 0) {
      double& share = shares[row.operation];
      share = std::max(share, row.rooflineShare());
    }
  }
  std::vector<double> each;
  for (const auto& [operation, share] : shares) {
    each.push_back(share);
  }
  std::vector<std::string> parts = {counted(operations.size(), "operation")};
  if (!each.empty()) {
    parts.push_back(fmt::format("{:.0f} % of the roofline", 100 * stats::median(each)));
  }
  if (failures > 0) {
    parts.push_back(counted(failures, "failure"));
  }
  return join(parts, ", ");
}

Result<std::string> benchText(const json& summary) {
  const model::BenchResult result = HONE_TRY(model::benchResultFrom(summary));
  const auto& candidates = result.candidates;
  if (candidates.empty()) {
    return "";
  }
  if (candidates.size() == 1) {
    return candidates.front().timeNs ? timeText(*candidates.front().timeNs) : "not timed";
  }
  const Gain gain = readGains("bench", summary).front();
  return std::isnan(gain.speedup.estimate)
             ? fmt::format("{} over {}", kNoSpeedup, candidates.front().name)
             : fmt::format("{}, {}", gainText(gain), gain.what);
}

Result<std::string> finishedText(const std::string& command, const json& summary) {
  if (command == "tune") {
    return tuneText(summary);
  }
  if (command == "kernel") {
    return kernelText(summary);
  }
  if (command == "split") {
    return splitText(summary);
  }
  return command == "profile" ? profileText(summary) : benchText(summary);
}

}  // namespace

std::string resultText(const RunState& run) {
  if (run.status == store::RunStatus::running) {
    return fmt::format("not finished: {} so far",
                       counted(static_cast<std::size_t>(run.trials), "trial"));
  }
  const json summary = json::parse(run.summary);
  if (run.status == store::RunStatus::failed) {
    const std::string why = model::runFailureFrom(summary).error;
    return why.empty() ? "failed" : fmt::format("failed: {}", why);
  }
  const std::string text = finishedText(run.command, summary).value_or("unknown result format");
  return text.empty()
             ? fmt::format("{} recorded", counted(static_cast<std::size_t>(run.trials), "trial"))
             : text;
}

Result<void> RunResults::load(const store::Store& store, std::span<const store::RunLine> runs) {
  others_.clear();
  for (const store::RunLine& run : runs) {
    if (finished_.contains(run.id)) {
      continue;
    }
    RunState state{
        .command = run.command, .status = run.status, .trials = run.trials, .summary = "{}"};
    if (run.status != store::RunStatus::running) {
      state.summary = HONE_TRY(store.summary(run.id)).value_or("{}");
    }
    auto& known = run.status == store::RunStatus::finished ? finished_ : others_;
    known[run.id] = resultText(state);
  }
  return {};
}

std::string RunResults::of(std::int64_t run) const {
  for (const auto* known : {&finished_, &others_}) {
    if (const auto found = known->find(run); found != known->end()) {
      return found->second;
    }
  }
  return "";
}

}  // namespace hone::report
