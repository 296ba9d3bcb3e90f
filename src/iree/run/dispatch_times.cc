#include "iree/run/dispatch_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "iree/compile/report/diagnostics.h"
#include "stats/summary.h"

namespace hone::iree {
namespace {

using nlohmann::json;

/// Phrases that identify errors of timing rather than of the call itself. Errors of other machines
/// arrive as text, so cannotBeTimed() has to search for them.
constexpr std::string_view kNoTimes = "reports no dispatch times";
constexpr std::string_view kNoValidTime = "reports no valid time for dispatch";
constexpr std::string_view kTooMany = "more dispatches than IREE's profiler can record";

/// One execution of a dispatch.
struct Event {
  std::string name;
  double start = 0;  ///< in the device's unit; only used for ordering
  double durationNs = 0;
  double busyNs = 0;
};

std::optional<double> numberIn(const json& row, const char* member) {
  const auto at = row.find(member);
  if (at == row.end() || !at->is_number()) {
    return std::nullopt;
  }
  const auto value = at->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string textIn(const json& row, const char* member) {
  const auto at = row.find(member);
  return at != row.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Returns nothing if the event has no valid time.
std::optional<Event> eventFrom(const json& row, bool onHost) {
  const auto start = numberIn(row, onHost ? "start_host_time_ns" : "start_tick");
  const auto duration = numberIn(row, "duration_ns");
  const auto valid = row.find("valid");
  Event event{textIn(row, "key"), start.value_or(0), duration.value_or(0), 0};
  if (!start || !duration || *duration < 0 || event.name.empty() || valid == row.end() ||
      *valid != true) {
    return std::nullopt;
  }
  event.busyNs = numberIn(row, "tile_duration_sum_ns").value_or(0);
  return event;
}

Result<std::vector<Event>> eventsFrom(std::string_view jsonLines) {
  std::vector<Event> events;
  for (const std::string& line : splitAt(jsonLines, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    const json row = json::parse(line, nullptr, false);
    if (!row.is_object()) {
      return machineError("unexpected output of iree-profile: '{}'", shortened(line, 80));
    }
    const std::string type = textIn(row, "type");
    const bool onHost = type == "host_dispatch_event";
    if (!onHost && type != "dispatch_event") {
      continue;
    }
    auto event = eventFrom(row, onHost);
    if (!event) {
      return userError("the device {} {}", kNoValidTime, textIn(row, "key"));
    }
    events.push_back(*std::move(event));
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.start < b.start; });
  return events;
}

/// Summarizes the ordered events of one dispatch. If the number of calls differs between
/// invocations, only the mean over all of them is known.
DispatchTime summarizeEvents(std::span<const Event* const> events, std::int64_t invocations) {
  const auto count = static_cast<std::int64_t>(events.size());
  DispatchTime time;
  time.name = events.front()->name;
  const auto sums = [&](std::span<const Event* const> part, double Event::* member) {
    double sum = 0;
    for (const Event* event : part) {
      sum += event->*member;
    }
    return sum;
  };
  if (count % invocations != 0) {
    const auto perInvocation = static_cast<double>(invocations);
    time.calls = (count + invocations - 1) / invocations;
    time.totalNs = sums(events, &Event::durationNs) / perInvocation;
    time.busyNs = sums(events, &Event::busyNs) / perInvocation;
    time.invocationNs = {time.totalNs};
    return time;
  }
  time.calls = count / invocations;
  const auto calls = static_cast<std::size_t>(time.calls);
  std::vector<double> busyNs;
  for (std::size_t at = invocations > 1 ? calls : 0; at < events.size(); at += calls) {
    time.invocationNs.push_back(sums(events.subspan(at, calls), &Event::durationNs));
    busyNs.push_back(sums(events.subspan(at, calls), &Event::busyNs));
  }
  time.totalNs = stats::median(time.invocationNs);
  time.busyNs = stats::median(busyNs);
  return time;
}

/// Returns the profiling mode: CPU devices time workgroups on the host, others use timestamps.
std::string profilingMode(const Device& device) {
  return device.isLocal() ? "host-execution" : "dispatch-events";
}

/// Runs the command and writes its profile to the file.
Result<void> runProfiled(const Device& device, Command command, const std::string& file) {
  command.argv.push_back("--device_profiling_mode=" + profilingMode(device));
  command.argv.push_back("--device_profiling_output=" + file);
  const Activity profiling("measuring the time of each dispatch");
  if (command.writable) {
    command.writable->push_back(std::filesystem::path(file).parent_path());
  }
  const Finished finished = HONE_TRY(runTool(std::move(command)));
  if (finished.ending.ok()) {
    return {};
  }
  if (finished.ending.how == Ending::How::timedOut) {
    return userError("the call was {}", finished.ending.describe());
  }
  if (finished.err.contains("profiling data families") ||
      finished.err.contains("unsupported profiling mode")) {  // before IREE 3.12
    return userError("IREE's runtime {} on device {}", kNoTimes, device.name);
  }
  const std::string line = firstError(finished.err + finished.out);
  if (line.empty()) {
    return userError("the call ended with {}", finished.ending.describe());
  }
  return userError("{}", line);
}

Result<std::string> readProfile(const Installation& installation, const Limits& limits,
                                std::vector<std::string> arguments) {
  Command command;
  command.limits = limits;
  command.limits.memoryBytes = 0;  // reading the profile may need more memory than the call
  command.argv = {installation.runtimeTool("iree-profile").string()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.inherit = Inherit::harmless;
  command.writable.emplace();
  Finished finished = HONE_TRY(runTool(std::move(command)));
  if (!finished.ending.ok()) {
    const std::string line = firstError(finished.err);
    return machineError("iree-profile cannot read the profile: {}",
                        line.empty() ? finished.ending.describe() : line);
  }
  return std::move(finished.out);
}

/// Returns true if the summary says that the profile lacks records.
bool isIncomplete(std::string_view summary) {
  for (const std::string& line : splitAt(summary, '\n')) {
    const json row = json::parse(line, nullptr, false);
    if (row.is_object() && (numberIn(row, "dropped_records").value_or(0) > 0 ||
                            numberIn(row, "truncated_chunks").value_or(0) > 0)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool cannotBeTimed(const Error& error) {
  return error.fault == Fault::user &&
         (error.message.contains(kNoTimes) || error.message.contains(kNoValidTime) ||
          error.message.contains(kTooMany));
}

Result<std::vector<DispatchTime>> dispatchTimesFrom(std::string_view jsonLines,
                                                    std::int64_t invocations) {
  const std::vector<Event> events = HONE_TRY(eventsFrom(jsonLines));
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Event*>> byName;
  for (const Event& event : events) {
    auto& known = byName[event.name];
    if (known.empty()) {
      order.push_back(event.name);
    }
    known.push_back(&event);
  }
  std::vector<DispatchTime> times;
  for (const std::string& name : order) {
    times.push_back(summarizeEvents(byName[name], std::max<std::int64_t>(invocations, 1)));
  }
  return times;
}

Result<std::vector<DispatchTime>> dispatchTimes(const Installation& installation,
                                                const Device& device, const Limits& limits,
                                                const Call& call, std::int64_t iterations) {
  if (iterations < 1) {
    return userError("invalid number of invocations: {}; expected at least 1", iterations);
  }
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-dispatch"));
  const std::string file = (scratch.path() / "run.ireeprof").string();
  Command command = benchmarkFor(installation, device, limits, call);
  // With the suffix 'x' Google Benchmark runs exactly this number of invocations.
  command.argv.push_back(fmt::format("--benchmark_min_time={}x", iterations + 1));
  HONE_CHECK(runProfiled(device, command, file));
  const std::vector<std::string> summarize = {"summary", "--format=jsonl", file};
  if (isIncomplete(HONE_TRY(readProfile(installation, limits, summarize)))) {
    // The runtime buffers 4096 events per invocation. A thread that flushes them in between adds a
    // small overhead, so it is only a fallback.
    command.argv.emplace_back("--device_profiling_flush_interval_ms=1");
    HONE_CHECK(runProfiled(device, command, file));
    if (isIncomplete(HONE_TRY(readProfile(installation, limits, summarize)))) {
      return userError("the function has {}", kTooMany);
    }
  }
  const std::string events = HONE_TRY(
      readProfile(installation, limits, {"dispatch", "--dispatch_events", "--format=jsonl", file}));
  return dispatchTimesFrom(events, iterations + 1);
}

}  // namespace hone::iree
