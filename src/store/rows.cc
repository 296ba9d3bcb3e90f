#include "store/rows.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/text/json.h"

namespace hone::store {
namespace {

using nlohmann::json;

/// Fails for a name that this version of hone does not know.
template <typename Value>
Result<Value> requireKnown(std::optional<Value> value, std::string_view kind,
                           const std::string& name) {
  if (!value) {
    return userError("unknown {} '{}' in the store; use the newer hone that wrote it", kind, name);
  }
  return *value;
}

Result<std::vector<std::string>> argumentsFrom(const std::string& text, std::int64_t run) {
  std::vector<std::string> arguments;
  const json list = HONE_TRY(parseJson(text, fmt::format("the command of run {}", run)));
  if (!list.is_array()) {
    return userError("the store is damaged: the command of run {} is not a list", run);
  }
  for (const json& argument : list) {
    arguments.push_back(argument.is_string() ? argument.get<std::string>() : jsonText(argument));
  }
  return arguments;
}

}  // namespace

Result<json> parseJson(const std::string& text, std::string_view what) {
  auto value = jsonFrom(text, what);
  if (!value) {
    return userError("the store is damaged: {} is not valid JSON", what);
  }
  return value;
}

Result<RunStatus> statusFrom(const std::string& name) {
  return requireKnown(runStatusFrom(name), "status", name);
}

Result<Run> runFrom(const Query& row) {
  Run run;
  run.id = row.integer(0);
  run.key = row.text(1);
  run.command = row.text(2);
  run.arguments = HONE_TRY(argumentsFrom(row.text(3), run.id));
  run.workingFolder = row.text(4);
  run.status = HONE_TRY(statusFrom(row.text(5)));
  run.startedAt = row.text(6);
  run.finishedAt = row.text(7);
  run.honeVersion = row.text(8);
  run.compilerRevision = row.text(9);
  run.host = row.text(10);
  run.cpu = row.text(11);
  run.target = row.text(12);
  run.device = row.text(13);
  run.seed = std::bit_cast<std::uint64_t>(row.integer(14));
  run.details = model::runDetailsFrom(
      HONE_TRY(parseJson(row.text(15), fmt::format("details of run {}", run.id))));
  run.summary = row.text(16);
  HONE_CHECK(parseJson(run.summary, fmt::format("the summary of run {}", run.id)));
  return run;
}

Result<Trial> trialFrom(const Query& row) {
  Trial trial;
  trial.id = row.integer(0);
  trial.run = row.integer(1);
  trial.key = row.text(2);
  trial.problem = row.text(3);
  const std::string what = fmt::format("trial {}", trial.id);
  trial.config = HONE_TRY(model::configFrom(HONE_TRY(parseJson(row.text(4), what))));
  trial.outcome = HONE_TRY(requireKnown(model::outcomeFrom(row.text(5)), "outcome", row.text(5)));
  trial.message = row.text(6);
  trial.artifact = row.text(7);
  trial.compileWallNs = row.integer(8);
  trial.compileCpuNs = row.integer(9);
  trial.details = model::trialDetailsFrom(HONE_TRY(parseJson(row.text(10), what)));
  trial.diagnostics = row.text(11);
  return trial;
}

Result<RunLine> runLineFrom(const Query& row) {
  const auto arguments = HONE_TRY(argumentsFrom(row.text(6), row.integer(0)));
  return RunLine{.id = row.integer(0),
                 .command = row.text(1),
                 .startedAt = row.text(2),
                 .status = HONE_TRY(statusFrom(row.text(3))),
                 .target = row.text(4),
                 .device = row.text(5),
                 .title = commandLine(arguments),
                 .trials = row.integer(7),
                 .cluster = row.text(8)};
}

Result<TrialLine> trialLineFrom(const Query& row) {
  const std::string outcome = row.text(3);
  return TrialLine{
      .id = row.integer(0),
      .key = row.text(1),
      .problem = row.text(2),
      .config = row.text(7),
      .outcome = HONE_TRY(requireKnown(model::outcomeFrom(outcome), "outcome", outcome)),
      .message = row.text(4),
      .artifact = row.text(5),
      .compileWallNs = row.integer(6)};
}

Result<TrialSample> sampleFrom(const Query& row) {
  const std::string stage = row.text(1);
  return TrialSample{
      .trial = row.integer(0),
      .sample = {.stage = HONE_TRY(requireKnown(model::stageFrom(stage), "stage", stage)),
                 .round = row.integer(2),
                 .position = row.integer(3),
                 .repetition = row.integer(4),
                 .wallNs = row.real(5),
                 .cpuNs = row.real(6),
                 .iterations = row.integer(7)},
      .node = row.integer(8)};
}

}  // namespace hone::store
