#include "kernel/judge/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using Status = Reply::Status;

/// What a worker may compute while it waits: the last steps of an answer that was read already.
constexpr std::int64_t kIdleNs = 100'000;
/// Python has more to tidy up.
constexpr std::int64_t kPythonIdleNs = 1'000'000;

/// What copying the outputs may take at most; nothing else is done then.
double mostFlushNs(const Shape& shape) {
  constexpr double kAtOnceNs = 1e6;
  constexpr double kNsPerByte = 1;
  double bytes = 0;
  for (const Argument& output : shape.outputs) {
    bytes += static_cast<double>(output.type.bytes());
  }
  return kAtOnceNs + kNsPerByte * bytes;
}

Outcome outcomeOf(const Reply& reply) {
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

Result<bool> Subject::accept(const Reply& reply, Judged& judged) const {
  if (reply.ok()) {
    return true;
  }
  if (reply.status == Status::failed && reply.kind == "protocol") {
    return machineError("a worker does not understand the judge: {}", reply.message);
  }
  judged.outcome = outcomeOf(reply);
  judged.message = fmt::format("the kernel failed: {}", reply.message);
  judged.diagnostics = reply.detail.empty() ? worker_.log() : reply.detail;
  return false;
}

Result<std::optional<Subject>> Subject::start(const Runnable& runnable,
                                              std::span<const CallTensors* const> tensors,
                                              std::chrono::milliseconds limit, Judged& judged) {
  Subject subject(HONE_TRY(Worker::start(runnable.command)), runnable);
  nlohmann::json list = nlohmann::json::array();
  for (const CallTensors* each : tensors) {
    each->describe(list);
  }
  const Reply hello = HONE_TRY(subject.worker_.ask({{"do", "hello"}}, limit));
  if (!hello.ok()) {
    return machineError("a worker did not start ({}): {} {}", runnable.command.argv.front(),
                        hello.message, subject.worker_.log());
  }
  judged.facts["sandbox"] = hello.body.value("sandbox", "none");
  const Reply opened = HONE_TRY(subject.worker_.ask({{"do", "tensors"}, {"tensors", list}}, limit));
  if (!opened.ok()) {
    return machineError("a worker cannot open its tensors: {}", opened.message);
  }
  const Reply loaded = HONE_TRY(subject.worker_.ask(runnable.load, limit));
  if (!HONE_TRY(subject.accept(loaded, judged))) {
    return std::nullopt;
  }
  if (const auto facts = loaded.body.find("facts");
      facts != loaded.body.end() && facts->is_object()) {
    judged.facts.update(*facts);
  }
  // What the judge itself notes is not for a worker to say.
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
  return subject;
}

std::string Subject::workedAhead(const TimedReply& before, const TimedReply& timed) const {
  // The thread that serves requests read the inputs; in Python, torch's threads did.
  const std::int64_t ns = timed.before.othersNs() - before.after.othersNs();
  return isSuspect_ && isCpp_ && ns > kIdleNs ? "it computes in a thread before it is called" : "";
}

std::string Subject::workedInCopying(const TimedReply& timed, const Shape& shape) const {
  return isSuspect_ && timed.flushCpuNs > mostFlushNs(shape)
             ? fmt::format("it computes after its answer: {} while its outputs were copied",
                           humanTime(timed.flushCpuNs))
             : "";
}

std::string Subject::workedOn(const TimedReply& timed) const {
  const std::int64_t ns = worker_.rest().allNs - timed.after.allNs;
  return isSuspect_ && ns > (isCpp_ ? kIdleNs : kPythonIdleNs)
             ? "it goes on computing after its answer"
             : "";
}

std::string Subject::keptThreads(int allowed) const {
  // One that was joined may be seen for a moment more.
  constexpr int kLooks = 500;
  for (int i = 0; isSuspect_ && isCpp_ && allowed == 1 && worker_.threads() > 1; ++i) {
    if (i == kLooks) {
      return "it leaves threads running or asleep after its call, and may have one (--threads)";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "";
}

Result<bool> Subject::call(const CallTensors& tensors, std::chrono::milliseconds limit,
                           Judged& judged) {
  return accept(HONE_TRY(worker_.ask(tensors.request("call"), limit)), judged);
}

Result<bool> Subject::make(const CallTensors& tensors, const std::filesystem::path& reference,
                           std::uint64_t seed, std::chrono::milliseconds limit, Judged& judged) {
  nlohmann::json request = tensors.request("make");
  request["reference"] = reference.string();
  request["seed"] = seed >> 11U;
  return accept(HONE_TRY(worker_.ask(std::move(request), limit)), judged);
}

Result<std::optional<TimedReply>> Subject::time(const CallTensors& tensors, std::int64_t warmUp,
                                                std::int64_t iterations, std::uint64_t stir,
                                                std::chrono::milliseconds limit, Judged& judged) {
  nlohmann::json request = tensors.request("time");
  request["warmup"] = warmUp;
  request["iterations"] = iterations;
  request["stir"] = stir;
  TimedReply timed = HONE_TRY(worker_.time(std::move(request), limit));
  return HONE_TRY(accept(timed.reply, judged)) ? std::optional(std::move(timed)) : std::nullopt;
}

}  // namespace hone::kernel
