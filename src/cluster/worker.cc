#include "cluster/worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/process/subprocess.h"

namespace hone::cluster {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kWorkerHeartbeatNs = 5 * kSecondNs;
constexpr auto kWatch = 100ms;
/// Polling interval of an idle worker; it doubles up to one second.
constexpr std::chrono::milliseconds kFirstIdlePause{20};
constexpr std::chrono::milliseconds kMaxIdlePause{1000};
/// Units that failed on this node are left to others until there was no other work for this time.
constexpr std::int64_t kAvoidNs = 10 * kSecondNs;
/// A worker whose children die this often is on a bad node.
constexpr int kMaxChildDeaths = 3;
/// Exit codes of the child.
constexpr int kNoMoreWork = 0;
constexpr int kCannotWork = 3;

/// Executes units in the child process until there are none for a while.
class ChildWorker {
 public:
  ChildWorker(Spool& spool, const WorkerOptions& options, UnitPerformer& performer)
      : spool_(spool),
        options_(options),
        performer_(performer),
        idleNs_(static_cast<std::int64_t>(spool.setup().idleSeconds * 1e9)) {}

  /// Runs until the end and returns the exit code.
  [[nodiscard]] int run() {
    const store::Node node = performer_.node();
    if (!options_.onlyCompile) {
      if (const auto proposed = spool_.proposeKind(node); !proposed) {
        return giveUp(proposed.error());
      }
    }
    std::optional<bool> alike = spool_.isMeasuredKind(node);
    // The measuring nodes decide the kind; the decision may become visible here with a delay.
    const bool mustKnow = !options_.onlyCompile || performer_.compilesForHost();
    while (!alike && mustKnow && !shouldExit()) {
      std::this_thread::sleep_for(kMaxIdlePause);
      alike = spool_.isMeasuredKind(node);
    }
    mayMeasure_ = !options_.onlyCompile && alike.value_or(false);
    if (alike && !*alike && mustKnow) {
      fmt::print(stderr, "hone: this node is {}\n", kOtherNodeKind);
      static_cast<void>(spool_.reportDeath(options_.name, kOtherNodeKind));
      return kNoMoreWork;
    }
    return work();
  }

 private:
  [[nodiscard]] bool shouldExit() const {
    return nowNs() - lastWorkNs_ > idleNs_ || spool_.headHeartbeat().finished;
  }
  [[nodiscard]] int giveUp(const Error& error) {
    static_cast<void>(spool_.reportDeath(options_.name, error.message, options_.node, true));
    return kCannotWork;
  }
  [[nodiscard]] int work() {
    std::chrono::milliseconds pause = kFirstIdlePause;
    while (!shouldExit()) {
      const bool avoids = nowNs() - lastWorkNs_ < std::min(kAvoidNs, idleNs_ / 2);
      const auto claimed =
          spool_.claim(options_.name, mayMeasure_, avoids ? options_.node : std::string());
      if (!claimed) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, kMaxIdlePause);
        continue;
      }
      if (const auto done = answer(claimed->first, claimed->second); !done) {
        return giveUp(done.error());
      }
      lastWorkNs_ = nowNs();
      pause = kFirstIdlePause;
    }
    return kNoMoreWork;
  }
  [[nodiscard]] Result<void> answer(const Claim& claim, const QueuedUnit& unit) {
    Answer answer;
    answer.key = unit.key;
    answer.node = performer_.node();
    answer.worker = options_.name;
    auto result = performer_.perform(unit);
    if (result) {
      answer.result = std::move(*result);
    } else if (result.error().fault == Fault::user) {
      answer.error = result.error();
    } else {
      return std::unexpected(result.error());
    }
    HONE_CHECK(spool_.answer(claim, answer));
    fmt::print("{} {}\n", kAnswered, unit.key);
    std::fflush(stdout);
    return {};
  }

  Spool& spool_;
  const WorkerOptions& options_;
  UnitPerformer& performer_;
  std::int64_t idleNs_;
  std::int64_t lastWorkNs_ = nowNs();
  bool mayMeasure_ = false;
};

/// Runs the child; does not return.
[[noreturn]] void runChild(Spool& spool, const WorkerOptions& options, const MakePerformer& make) {
  const auto fail = [&](const Error& error) {
    fmt::print(stderr, "hone: {}\n", error.message);
    static_cast<void>(spool.reportDeath(options.name, error.message, options.node, true));
    std::fflush(nullptr);
    ::_exit(kCannotWork);
  };
  int code = kNoMoreWork;
  {
    auto performer = make(spool.setup());
    if (!performer) {
      fail(performer.error());
    }
    code = ChildWorker(spool, options, **performer).run();
  }
  std::fflush(nullptr);
  ::_exit(code);
}

/// Monitors the child: sends heartbeats to the head and checks those of the head.
class ChildMonitor {
 public:
  ChildMonitor(Spool& spool, const WorkerOptions& options)
      : spool_(spool),
        options_(options),
        headNs_(static_cast<std::int64_t>(spool.setup().headSeconds * 1e9)) {}

  /// Waits for the child and returns its ending; nothing if it was stopped.
  [[nodiscard]] std::optional<Ending> waitFor(pid_t child) {
    while (true) {
      int status = 0;
      rusage usage{};
      const pid_t ended = ::wait4(child, &status, WNOHANG, &usage);
      if (ended == child) {
        return endingFrom(status, usage);
      }
      if (interrupted() || headIsGone()) {
        ::kill(-child, SIGKILL);
        while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
        }
        return std::nullopt;
      }
      sendHeartbeat();
      std::this_thread::sleep_for(kWatch);
    }
  }

 private:
  void sendHeartbeat() {
    if (nowNs() - lastHeartbeatNs_ < kWorkerHeartbeatNs) {
      return;
    }
    lastHeartbeatNs_ = nowNs();
    static_cast<void>(spool_.writeHeartbeat(options_.name, {++heartbeats_, false}));
  }
  [[nodiscard]] bool headIsGone() {
    if (nowNs() - lastLookNs_ < kSecondNs) {
      return false;
    }
    lastLookNs_ = nowNs();
    const Heartbeat head = spool_.headHeartbeat();
    if (head.count != headCount_) {
      headCount_ = head.count;
      headSeenNs_ = nowNs();
    }
    return nowNs() - headSeenNs_ > headNs_;
  }

  Spool& spool_;
  const WorkerOptions& options_;
  std::int64_t headNs_;
  std::int64_t heartbeats_ = 0;
  std::int64_t lastHeartbeatNs_ = 0;
  std::int64_t lastLookNs_ = 0;
  std::int64_t headSeenNs_ = nowNs();
  std::int64_t headCount_ = -1;
};

Result<void> serveUntilEnd(Spool& spool, const WorkerOptions& options, const MakePerformer& make) {
  ChildMonitor monitor(spool, options);
  for (int deaths = 0; deaths < kMaxChildDeaths;) {
    std::fflush(nullptr);
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
      return errnoError("cannot start a child process");
    }
    if (child == 0) {
      confineChild(self, {});
      runChild(spool, options, make);
    }
    ::setpgid(child, child);
    const auto ending = monitor.waitFor(child);
    if (!ending) {
      spool.requeue(options.name);
      return {};
    }
    if (ending->ok()) {
      return {};
    }
    if (ending->how == Ending::How::signalled && ending->code == SIGTERM) {
      spool.requeue(options.name);  // the job was ended, and the signal reached the child first
      return {};
    }
    if (ending->how == Ending::How::exited && ending->code == kCannotWork) {
      return machineError("this worker cannot continue");
    }
    HONE_CHECK(spool.reportDeath(options.name, ending->describe(), options.node));
    ++deaths;
  }
  return machineError("{} child processes of this worker died", kMaxChildDeaths);
}

}  // namespace

Result<void> serve(Spool spool, const WorkerOptions& options, const MakePerformer& make) {
  auto served = serveUntilEnd(spool, options, make);
  spool.leave(options.name);
  return served;
}

}  // namespace hone::cluster
