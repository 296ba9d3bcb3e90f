#include "iree/run/execution.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "iree/compile/report/diagnostics.h"

namespace hone::iree {
namespace {

CallReport makeReport(const Finished& finished) {
  CallReport report;
  report.ending = finished.ending;
  report.diagnostics = finished.err;
  if (finished.ending.ok()) {
    return report;
  }
  if (finished.ending.how == Ending::How::timedOut) {
    report.status = CallReport::Status::timedOut;
    report.message = fmt::format("the call was {}", finished.ending.describe());
    return report;
  }
  report.status = CallReport::Status::failed;
  if (finished.ending.wroteTooMuch()) {
    report.message = "the call wrote more than its limit of disk space";
    return report;
  }
  const std::string line = firstError(finished.err);
  report.message = finished.ending.how == Ending::How::signalled || line.empty()
                       ? fmt::format("the call ended with {}", finished.ending.describe())
                       : line;
  return report;
}

double nanosecondsPer(std::string_view unit) {
  return unit == "ns" ? 1.0 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
}

/// Returns the repetitions in Google Benchmark's JSON except for the first `dropped`.
std::vector<CallTime> timesFrom(const std::string& text, std::int64_t dropped) {
  std::vector<CallTime> times;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return times;
  }
  try {
    for (const nlohmann::json& entry : json.value("benchmarks", nlohmann::json::array())) {
      if (entry.value("run_type", "") != "iteration" ||
          entry.value("repetition_index", 0) < dropped || entry.contains("error_occurred")) {
        continue;
      }
      const double unit = nanosecondsPer(entry.value("time_unit", "ns"));
      times.push_back({entry.value("real_time", 0.0) * unit, entry.value("cpu_time", 0.0) * unit});
    }
  } catch (const nlohmann::json::exception&) {  // the program may print anything
    times.clear();
  }
  return times;
}

}  // namespace

Command commandFor(const Installation& installation, const Device& device, const Limits& limits,
                   std::string_view tool, const Call& call) {
  Command command;
  command.limits = limits;
  command.inherit = Inherit::harmless;
  if (device.isLocal()) {  // GPU drivers write files
    command.writable.emplace();
  }
  command.argv = {installation.runtimeTool(tool).string(), "--device=" + device.name,
                  "--module=" + call.module.string(), "--function=" + call.function};
  for (const std::string& input : call.inputs) {
    command.argv.push_back("--input=" + input);
  }
  for (const std::string& parameters : call.parameters) {
    command.argv.push_back("--parameters=" + parameters);
  }
  return command;
}

Command benchmarkFor(const Installation& installation, const Device& device, const Limits& limits,
                     const Call& call, Memory memory) {
  Command command = commandFor(installation, device, limits, "iree-benchmark-module", call);
  if (memory == Memory::kept && device.isLocal()) {
    command.argv.emplace_back("--device_allocator=caching");
  }
  return command;
}

Result<Finished> runTool(Command command) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-tool"));
  command.environment.emplace_back("TMPDIR", scratch.path().string());
  if (command.writable) {
    command.writable->push_back(scratch.path());
  }
  Finished finished = HONE_TRY(runCommand(command));
  HONE_CHECK(checkFileSizeLimit(finished.ending, command.limits));
  return finished;
}

Limits ModuleRunner::limitsNow(Limits limits) const {
  if (deadlineNs_ > 0) {
    const auto left =
        std::chrono::milliseconds(std::max<std::int64_t>((deadlineNs_ - nowNs()) / 1'000'000, 1));
    limits.wall = limits.wall.count() == 0 ? left : std::min(limits.wall, left);
  }
  return limits;
}

Result<CallReport> ModuleRunner::run(const Call& call,
                                     std::span<const std::filesystem::path> results) const {
  Command command = commandFor(installation_, device_, limitsNow(limits_), "iree-run-module", call);
  const Activity verifying(fmt::format("running @{} to verify its results", call.function));
  for (const std::filesystem::path& file : results) {
    command.argv.push_back("--output=@" + file.string());
    if (command.writable) {
      command.writable->push_back(file.parent_path());
    }
  }
  const Finished finished = HONE_TRY(runTool(std::move(command)));
  if (!finished.ending.ok() && !results.empty() && diskWasFull(finished.err)) {
    return machineError("the disk is full: cannot write the results to {}",
                        results.front().parent_path().string());
  }
  return makeReport(finished);
}

Result<Timings> ModuleRunner::time(const Call& call, std::int64_t iterations,
                                   std::int64_t repetitions,
                                   std::optional<std::chrono::milliseconds> patience) const {
  Limits limits = limits_;
  limits.wall = std::min(limits.wall, patience.value_or(limits.wall));
  return timeAll(call, iterations, repetitions + 1, 1, limits);
}

Result<Timings> ModuleRunner::timeCold(const Call& call, std::int64_t repetitions) const {
  return timeAll(call, 1, repetitions, 0, limits_);
}

Result<Timings> ModuleRunner::timeAll(const Call& call, std::int64_t iterations,
                                      std::int64_t repetitions, std::int64_t dropped,
                                      const Limits& limits) const {
  Command command = benchmarkFor(installation_, device_, limitsNow(limits), call, memory_);
  command.argv.push_back(fmt::format("--benchmark_min_time={}x", iterations));
  command.argv.push_back(fmt::format("--benchmark_repetitions={}", repetitions));
  command.argv.emplace_back("--benchmark_format=json");
  command.runsFirst = true;
  const Activity measuring(fmt::format("measuring @{}", call.function));
  const Finished finished = HONE_TRY(runTool(std::move(command)));
  Timings timings{makeReport(finished), timesFrom(finished.out, dropped)};
  const bool complete = timings.times.size() == static_cast<std::size_t>(repetitions - dropped);
  if (timings.report.status == CallReport::Status::ok && !complete) {
    timings.report.status = CallReport::Status::failed;
    timings.report.message = firstError(finished.err + finished.out);
    timings.report.diagnostics += finished.out;
  }
  return timings;
}

}  // namespace hone::iree
