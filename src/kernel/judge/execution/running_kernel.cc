#include "kernel/judge/execution/running_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/progress.h"
#include "kernel/judge/facts/failure_text.h"
#include "kernel/worker/sandbox/loader_places.h"
#include "kernel/worker/sandbox/sandbox.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using Status = Reply::Status;

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
  return reply.kind == "build"                                 ? Outcome::compileFailed
         : reply.kind == "shape"                               ? Outcome::mismatch
         : reply.kind == "refused" || reply.kind == "protocol" ? Outcome::invalid
                                                               : Outcome::runFailed;
}

std::string describeSignal(std::uint32_t number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      return "accesses unmapped or misaligned memory";
    case SIGFPE:
      return "divides an integer by zero";
    case SIGILL:
      return "executes an instruction that this processor does not support";
    case SIGABRT:
      return "aborted";
    default:
      return fmt::format("was killed by signal {}", number);
  }
}

RunnerSetup describeSetup(const Runnable& runnable, std::span<const CallTensors* const> tensors) {
  RunnerSetup setup;
  setup.library = runnable.cpp->library;
  setup.function = runnable.cpp->function;
  for (const CallTensors* each : tensors) {
    each->describe(setup);
  }
  for (const std::filesystem::path& place : loaderPlaces()) {
    setup.readable.push_back(place.string());
  }
  setup.readable.push_back(std::filesystem::path(setup.library).parent_path().string());
  return setup;
}

/// Starts the runner, which reads `setup`.
Result<SupervisedProcess> startRunner(const WorkerCommand& command, const RunnerSetup& setup,
                                      const WorkerPages& pages, const Descriptor& log) {
  const Descriptor input = HONE_TRY(makeMemoryFile(setup.encode()));
  return SupervisedProcess(HONE_TRY(startProcess(command, {.requests = input.number(),
                                                           .replies = -1,
                                                           .log = log.number(),
                                                           .control = pages.control,
                                                           .status = pages.status})),
                           pages.counts);
}

}  // namespace

double fairWallNs(const CallTime& time, int threads) {
  return std::max(time.wallNs, time.cpuNs / threads);
}

Result<std::optional<RunningKernel>> RunningKernel::start(
    const Runnable& runnable, std::span<const CallTensors* const> tensors, milliseconds limit,
    JudgeResult& judged) {
  RunningKernel running(runnable, HONE_TRY(SharedPage<ControlPage>::create()),
                        HONE_TRY(SharedPage<StatusPage>::create()));
  for (const CallTensors* each : tensors) {
    running.calls_.push_back(each->label());
  }
  const bool loaded = runnable.isCpp()
                          ? HONE_TRY(running.startCpp(runnable, tensors, limit, judged))
                          : HONE_TRY(running.startPython(runnable, tensors, limit, judged));
  return loaded ? std::optional(std::move(running)) : std::nullopt;
}

Result<bool> RunningKernel::startCpp(const Runnable& runnable,
                                     std::span<const CallTensors* const> tensors,
                                     milliseconds limit, JudgeResult& judged) {
  for (const CallTensors* each : tensors) {
    each->visit([&](const std::string& name, bool isInput) {
      tensors_.push_back({.name = name, .isInput = isInput});
    });
  }
  function_ = runnable.cpp->function;
  log_ = HONE_TRY(makeLog());
  process_ =
      HONE_TRY(startRunner(runnable.command, describeSetup(runnable, tensors), pages(), log_));
  const Interval ready = HONE_TRY(process_->awaitFreeze(limit));
  if (!ready.ok()) {
    return machineError("worker failed to start ({}): {} {}", runnable.command.argv.front(),
                        ready.ending.describe(), readLog(log_));
  }
  // Only here is the status trustworthy: the kernel has not been loaded.
  const bool filtered = status_->seccomp != 0;
  judged.facts.sandbox = filtered ? "seccomp" : "none: this system has no seccomp filters";
  judged.facts.missingDefences.clear();
  for (const auto& [held, name] :
       {std::pair(status_->landlock != 0, "landlock"), std::pair(filtered, "seccomp")}) {
    if (!held) {
      judged.facts.missingDefences.emplace_back(name);
    }
  }
  if (!accept(HONE_TRY(process_->resume(limit)), judged)) {
    return false;
  }
  serves_ = true;
  return checkFair(process_->closeFiles() ? "" : "keeps a file open after it was loaded", judged);
}

Result<bool> RunningKernel::startPython(const Runnable& runnable,
                                        std::span<const CallTensors* const> tensors,
                                        milliseconds limit, JudgeResult& judged) {
  worker_ = HONE_TRY(Worker::start(runnable.command, pages()));
  TensorsRequest shared{.tensors = {}, .writable = !runnable.serves()};
  ServeRequest serve;
  for (const CallTensors* each : tensors) {
    each->describe(shared);
    serve.calls.push_back(each->callRequest());
  }
  const Reply hello = HONE_TRY(worker_->ask(HelloRequest{}, limit));
  if (!hello.ok()) {
    return machineError("worker failed to start ({}): {} {}", runnable.command.argv.front(),
                        hello.message, worker_->log());
  }
  judged.facts.sandbox = hello.body.value("sandbox", "none");
  const Reply opened = HONE_TRY(worker_->ask(shared, limit));
  if (!opened.ok()) {
    return machineError("worker failed to open its tensors: {}", opened.message);
  }
  const Reply loaded = HONE_TRY(worker_->ask(runnable.load, limit));
  if (!HONE_TRY(accept(loaded, judged))) {
    return false;
  }
  adoptFacts(loaded.body, judged.facts);
  if (!runnable.serves()) {
    return true;
  }
  serves_ = true;
  const Reply serving = HONE_TRY(worker_->ask(serve, limit));
  return HONE_TRY(accept(serving, judged)) &&
         accept(HONE_TRY(worker_->process().awaitFreeze(limit)), judged);
}

WorkerPages RunningKernel::pages() {
  return {.control = control_.readOnly(),
          .status = status_.writable(),
          .counts = {.asked = &control_->asked, .done = &status_->done}};
}

std::string RunningKernel::describeFault() const {
  const FaultNumbers fault = (*status_).fault;
  if (fault.signal == SIGSYS) {
    return fmt::format("tried to {}", describePurpose(static_cast<int>(fault.systemCall)));
  }
  if (fault.signal != SIGSEGV || fault.tensor == 0 || fault.tensor > tensors_.size()) {
    return describeSignal(fault.signal);
  }
  const NamedTensor& tensor = tensors_[fault.tensor - 1];
  const auto side = static_cast<AccessSide>(fault.side);
  return fmt::format("{} {} {} {}", fault.write != 0 ? "writes" : "reads",
                     side == AccessSide::inside   ? "to"
                     : side == AccessSide::before ? "before the start of"
                                                  : "past the end of",
                     tensor.isInput ? "its input" : "its output", tensor.name);
}

bool RunningKernel::accept(const Interval& interval, JudgeResult& judged) const {
  if (interval.ok()) {
    return true;
  }
  const bool late = interval.end == Interval::End::timedOut;
  judged.outcome = late ? Outcome::runTimeout : Outcome::runFailed;
  std::string why = late ? "timed out and was killed"
                         : fmt::format("process ended: {}", interval.ending.describe());
  if (!late && !worker_ && interval.ending.how == Ending::How::exited) {
    switch (static_cast<RunnerExit>(interval.ending.code)) {
      case RunnerExit::setup:
        break;
      case RunnerExit::loading:
        judged.outcome = Outcome::compileFailed;
        why = "its library cannot be loaded";
        break;
      case RunnerExit::function:
        judged.outcome = Outcome::compileFailed;
        why = fmt::format("has no function '{0}'; declare extern \"C\" void {0}(…)", function_);
        break;
      case RunnerExit::memory:
        why = "exceeds its memory limit";
        break;
      case RunnerExit::exception:
        why = "threw an exception";
        break;
      case RunnerExit::fault:
        why = describeFault();
        judged.outcome = (*status_).fault.signal == SIGSYS ? Outcome::invalid : Outcome::runFailed;
        break;
    }
  }
  judged.message = fmt::format("kernel failed: {}", why);
  judged.diagnostics = log();
  return false;
}

Result<bool> RunningKernel::accept(const Reply& reply, JudgeResult& judged) const {
  if (reply.ok()) {
    return true;
  }
  if (!isKernel_ && reply.status == Status::failed && reply.kind == "protocol") {
    return machineError("worker protocol error: {}", reply.message);
  }
  judged.outcome = toOutcome(reply);
  // The text comes from the kernel's process.
  judged.message =
      fmt::format("kernel failed: {}", isKernel_ ? describeFailure(reply) : reply.message);
  judged.diagnostics =
      fmt::format("{}\n{}", reply.message, reply.detail.empty() ? log() : reply.detail);
  return false;
}

Result<std::optional<CallTime>> RunningKernel::resume(const CallTensors& tensors, Step step,
                                                      milliseconds limit, JudgeResult& judged) {
  const auto found = std::ranges::find(calls_, tensors.label());
  control_->call = static_cast<std::uint32_t>(found - calls_.begin());
  if (worker_) {
    control_->step = static_cast<std::uint32_t>(step);
  }
  const Interval interval = HONE_TRY(process().resume(limit));
  if (!accept(interval, judged)) {
    return std::nullopt;
  }
  if (worker_) {
    if (const auto failure = worker_->takeFailure()) {
      if (!HONE_TRY(accept(*failure, judged))) {
        return std::nullopt;
      }
    }
  }
  return CallTime{.wallNs = interval.wallNs, .cpuNs = interval.cpuNs};
}

Result<bool> RunningKernel::call(const CallTensors& tensors, milliseconds limit,
                                 JudgeResult& judged) {
  const Activity running("running the kernel");
  if (!serves_) {
    return accept(HONE_TRY(worker_->ask(tensors.callRequest(), limit)), judged);
  }
  return HONE_TRY(resume(tensors, Step::verify, limit, judged)).has_value();
}

Result<bool> RunningKernel::make(const CallTensors& tensors, const std::filesystem::path& reference,
                                 std::uint64_t seed, milliseconds limit, JudgeResult& judged) {
  const MakeRequest request{
      .call = tensors.callRequest(), .reference = reference.string(), .seed = seed >> 11U};
  return accept(HONE_TRY(worker_->ask(request, limit)), judged);
}

Result<std::optional<CallTime>> RunningKernel::time(const CallTensors& tensors, milliseconds limit,
                                                    JudgeResult& judged) {
  if (onCpu_) {
    return resume(tensors, Step::time, limit, judged);
  }
  // Transfers to and from a GPU are not timed.
  if (!HONE_TRY(resume(tensors, Step::bind, limit, judged))) {
    return std::nullopt;
  }
  const auto timed = HONE_TRY(resume(tensors, Step::run, limit, judged));
  if (!timed || !HONE_TRY(resume(tensors, Step::copy, limit, judged))) {
    return std::nullopt;
  }
  return timed;
}

Result<bool> RunningKernel::watch(const CallTensors& tensors, milliseconds limit,
                                  JudgeResult& judged) {
  if (!worker_ || !isKernel_) {
    return true;
  }
  return HONE_TRY(resume(tensors, Step::verify, limit, judged)).has_value();
}

void RunningKernel::countEvents() {
  if (isUntrusted_ && process_) {
    counters_ = Counters::open(process_->pid(), processorEvents());
  }
}

void RunningKernel::startCounting() const {
  if (counters_) {
    counters_->start();
  }
}

std::vector<double> RunningKernel::stopCounting() const {
  return counters_ ? counters_->stop() : std::vector<double>();
}

std::string RunningKernel::detectLeftThreads(int allowed) const {
  // A joined thread may remain visible for a moment.
  constexpr int kMaxPolls = 500;
  for (int i = 0; isUntrusted_ && process_ && allowed == 1 && process_->threads() > 1; ++i) {
    if (i == kMaxPolls) {
      return "leaves threads running or asleep after its call; --threads allows only one";
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return "";
}

}  // namespace hone::kernel
