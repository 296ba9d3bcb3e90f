#include "kernel/judge/running_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using Status = Reply::Status;

/// CPU time that a worker may use while it waits: the end of a reply that was already read.
constexpr std::int64_t kIdleNs = 100'000;
/// Python has more cleanup.
constexpr std::int64_t kPythonIdleNs = 1'000'000;

/// Returns the maximum CPU time for copying the outputs, the only work in that interval.
double maxFlushNs(const Shape& shape) {
  constexpr double kBaseNs = 1e6;
  constexpr double kNsPerByte = 1;
  double bytes = 0;
  for (const Argument& output : shape.outputs) {
    bytes += static_cast<double>(output.type.bytes());
  }
  return kBaseNs + kNsPerByte * bytes;
}

Outcome toOutcome(const Reply& reply) {
  switch (reply.status) {
    case Status::ok:
      return Outcome::ok;
    case Status::timedOut:
      return Outcome::runTimeout;
    case Status::garbled:
      return Outcome::invalid;
    case Status::ended:
      return Outcome::runFailed;
    case Status::failed:
      break;
  }
  return reply.kind == "build"     ? Outcome::compileFailed
         : reply.kind == "shape"   ? Outcome::mismatch
         : reply.kind == "refused" ? Outcome::invalid
                                   : Outcome::runFailed;
}

}  // namespace

double fairWallNs(const TimedReply& timed, int threads) {
  return std::max(timed.wallNs, timed.cpuNs / threads);
}

Result<bool> RunningKernel::accept(const Reply& reply, JudgeResult& judged) const {
  if (reply.ok()) {
    return true;
  }
  if (reply.status == Status::failed && reply.kind == "protocol") {
    return machineError("worker protocol error: {}", reply.message);
  }
  judged.outcome = toOutcome(reply);
  judged.message = fmt::format("kernel failed: {}", reply.message);
  judged.diagnostics = reply.detail.empty() ? worker_.log() : reply.detail;
  return false;
}

Result<std::optional<RunningKernel>> RunningKernel::start(
    const Runnable& runnable, std::span<const CallTensors* const> tensors,
    std::chrono::milliseconds limit, JudgeResult& judged) {
  RunningKernel running(HONE_TRY(Worker::start(runnable.command)), runnable);
  nlohmann::json list = nlohmann::json::array();
  for (const CallTensors* each : tensors) {
    each->describe(list);
  }
  const Reply hello = HONE_TRY(running.worker_.ask({{"do", "hello"}}, limit));
  if (!hello.ok()) {
    return machineError("worker failed to start ({}): {} {}", runnable.command.argv.front(),
                        hello.message, running.worker_.log());
  }
  judged.facts["sandbox"] = hello.body.value("sandbox", "none");
  const Reply opened = HONE_TRY(running.worker_.ask({{"do", "tensors"}, {"tensors", list}}, limit));
  if (!opened.ok()) {
    return machineError("worker failed to open its tensors: {}", opened.message);
  }
  const Reply loaded = HONE_TRY(running.worker_.ask(runnable.load, limit));
  if (!HONE_TRY(running.accept(loaded, judged))) {
    return std::nullopt;
  }
  if (const auto facts = loaded.body.find("facts");
      facts != loaded.body.end() && facts->is_object()) {
    judged.facts.update(*facts);
  }
  // Facts that the judge records must not come from a worker.
  judged.facts.erase("counters");
  judged.facts.erase("missing_defences");
  if (const auto missing = loaded.body.find("missing");
      missing != loaded.body.end() && missing->is_array()) {
    for (const nlohmann::json& one : *missing) {
      if (one.is_string()) {
        judged.facts["missing_defences"].push_back(one);
      }
    }
  }
  return running;
}

std::string RunningKernel::detectWorkAhead(const TimedReply& before,
                                           const TimedReply& timed) const {
  // Excludes the thread that serves requests, which read the inputs; in Python, torch's threads
  // did.
  const std::int64_t ns = timed.before.othersNs() - before.after.othersNs();
  return isUntrusted_ && isCpp_ && ns > kIdleNs ? "computes in a thread before it is called" : "";
}

std::string RunningKernel::detectDeferredWork(const TimedReply& timed, const Shape& shape) const {
  return isUntrusted_ && timed.flushCpuNs > maxFlushNs(shape)
             ? fmt::format("computes after its reply: {} while its outputs were copied",
                           humanTime(timed.flushCpuNs))
             : "";
}

std::string RunningKernel::detectWorkAfterReply(const TimedReply& timed) const {
  const std::int64_t ns = worker_.waitUntilIdle().allNs - timed.after.allNs;
  return isUntrusted_ && ns > (isCpp_ ? kIdleNs : kPythonIdleNs)
             ? "continues to compute after its reply"
             : "";
}

std::string RunningKernel::detectLeftThreads(int allowed) const {
  // A joined thread may remain visible for a moment.
  constexpr int kMaxPolls = 500;
  for (int i = 0; isUntrusted_ && isCpp_ && allowed == 1 && worker_.threads() > 1; ++i) {
    if (i == kMaxPolls) {
      return "leaves threads running or asleep after its call; --threads allows only one";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "";
}

Result<bool> RunningKernel::call(const CallTensors& tensors, std::chrono::milliseconds limit,
                                 JudgeResult& judged) {
  return accept(HONE_TRY(worker_.ask(tensors.request("call"), limit)), judged);
}

Result<bool> RunningKernel::make(const CallTensors& tensors, const std::filesystem::path& reference,
                                 std::uint64_t seed, std::chrono::milliseconds limit,
                                 JudgeResult& judged) {
  nlohmann::json request = tensors.request("make");
  request["reference"] = reference.string();
  request["seed"] = seed >> 11U;
  return accept(HONE_TRY(worker_.ask(std::move(request), limit)), judged);
}

Result<std::optional<TimedReply>> RunningKernel::time(const CallTensors& tensors,
                                                      std::int64_t warmUp, std::int64_t iterations,
                                                      std::uint64_t stir,
                                                      std::chrono::milliseconds limit,
                                                      JudgeResult& judged) {
  nlohmann::json request = tensors.request("time");
  request["warmup"] = warmUp;
  request["iterations"] = iterations;
  request["stir"] = stir;
  TimedReply timed = HONE_TRY(worker_.time(std::move(request), limit));
  return HONE_TRY(accept(timed.reply, judged)) ? std::optional(std::move(timed)) : std::nullopt;
}

}  // namespace hone::kernel
