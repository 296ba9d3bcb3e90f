#include "cluster/device_executor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/process/interrupt.h"
#include "base/process/subprocess.h"
#include "base/text/json.h"
#include "cluster/spool/records.h"

namespace hone::cluster {
namespace {

using nlohmann::json;

/// Units per compile batch and device.
constexpr std::size_t kUnitsPerDevice = 8;
constexpr int kPollMs = 1000;

/// Performs a unit with the earlier trials of its run; returns its value and its new records.
Result<json> performAt(engine::Unit& unit, std::size_t place,
                       std::span<const store::TrialRecord> earlier) {
  ScratchStore scratch = HONE_TRY(ScratchStore::create());
  HONE_CHECK(scratch.store().merge(scratch.run(), earlier));
  engine::TrialLog log(scratch.store(), scratch.run());
  HONE_CHECK(log.restore());
  Progress progress(true);
  engine::UnitContext context{.log = log, .progress = progress, .place = place};
  json value = HONE_TRY(unit.perform(context));
  auto records = HONE_TRY(scratch.records());
  std::set<std::string> known;
  for (const store::TrialRecord& one : earlier) {
    known.insert(one.trial.key);
  }
  std::erase_if(records,
                [&](const store::TrialRecord& one) { return known.contains(one.trial.key); });
  return json{{"value", std::move(value)}, {"records", toJson(records)}};
}

/// Like performAt(), with errors and exceptions as part of the answer.
std::string answerFor(engine::Unit& unit, std::size_t place,
                      std::span<const store::TrialRecord> earlier) {
  const auto failed = [](const Error& error) {
    return jsonText(
        json{{"error", error.message}, {"fault", error.fault}, {"fatal", error.isFatal()}}, -1);
  };
  try {
    const auto answer = performAt(unit, place, earlier);
    return answer ? jsonText(*answer, -1) : failed(answer.error());
  } catch (const std::exception& exception) {
    return failed({Fault::machine, exception.what()});
  }
}

/// Writes the whole answer to the parent.
void sendAnswer(int pipe, std::string_view answer) {
  while (!answer.empty()) {
    const ssize_t sent = ::write(pipe, answer.data(), answer.size());
    if (sent < 0 && errno != EINTR) {
      return;
    }
    answer.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
}

/// Converts the answer of a child that ended in this way.
Result<engine::UnitResult> resultFrom(const std::string& answer, const Ending& ending) {
  engine::UnitResult result;
  result.remote = true;
  if (!ending.ok()) {
    result.error =
        Error{Fault::user, fmt::format("the unit's process ended: {}", ending.describe())};
    result.killed = true;
    return result;
  }
  try {
    json parsed = json::parse(answer);
    if (!parsed.contains("error")) {
      result.value = std::move(parsed.at("value"));
      result.records = HONE_TRY(recordsFrom(parsed.at("records")));
      return result;
    }
    result.error = Error{parsed.at("fault").get<Fault>(), parsed.at("error")};
    if (parsed.at("fatal")) {
      return std::unexpected(*result.error);
    }
    return result;
  } catch (const json::exception& exception) {
    return machineError("invalid answer of a unit's process: {}", exception.what());
  }
}

}  // namespace

DeviceExecutor::~DeviceExecutor() {
  for (const Running& one : running_) {
    ::kill(-one.child, SIGKILL);
    ::close(one.pipe);
    while (::waitpid(one.child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

std::size_t DeviceExecutor::window() const { return kUnitsPerDevice * devices_; }

Result<engine::Ticket> DeviceExecutor::submit(std::unique_ptr<engine::Unit> unit) {
  engine::Ticket ticket = std::to_string(++submitted_);
  queue_.push_back({ticket, std::move(unit)});
  return ticket;
}

Result<void> DeviceExecutor::prepareBatch() {
  const std::string_view kind = queue_.front().unit->kind();
  std::vector<engine::Unit*> batch;
  for (Queued& one : queue_) {
    if (batch.size() < window() && one.unit->kind() == kind) {
      one.prepared = true;
      batch.push_back(one.unit.get());
    }
  }
  return batch.front()->prepare(batch);
}

std::size_t DeviceExecutor::idlePlace() const {
  std::size_t place = 0;
  while (std::ranges::find(running_, place, &Running::place) != running_.end()) {
    ++place;
  }
  return place;
}

Result<void> DeviceExecutor::startUnits() {
  if (running_.empty() && !queue_.empty() && !queue_.front().prepared) {
    lock_.reset();
    HONE_CHECK(prepareBatch());
  }
  while (running_.size() < devices_ && !queue_.empty() && queue_.front().prepared) {
    if (!lock_) {
      lock_ = HONE_TRY(engine::MachineLock::forMeasuring());
    }
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    HONE_CHECK(start(std::move(next), idlePlace()));
  }
  return {};
}

Result<void> DeviceExecutor::start(Queued queued, std::size_t place) {
  if (!earlier_) {
    earlier_ = HONE_TRY(readRecords(store_, run_));
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return errnoError("cannot open a pipe");
  }
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return errnoError("cannot start a process for a unit");
  }
  if (child == 0) {
    confineChild(self, {});
    engine::MachineLock::inherit();
    sendAnswer(ends[1], answerFor(*queued.unit, place, *earlier_));
    ::_exit(0);  // without the parent's destructors
  }
  ::setpgid(child, child);  // also in the parent, so that the group exists before it is killed
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  running_.push_back({queued.ticket, place, child, ends[0], ""});
  return {};
}

Result<void> DeviceExecutor::finish(const Running& running) {
  ::close(running.pipe);
  int status = 0;
  rusage usage{};
  while (::wait4(running.child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (running_.empty()) {
    lock_.reset();
  }
  results_[running.ticket] = HONE_TRY(resultFrom(running.answer, endingFrom(status, usage)));
  return {};
}

Result<void> DeviceExecutor::collect() {
  std::vector<pollfd> ends;
  for (const Running& one : running_) {
    ends.push_back({one.pipe, POLLIN, 0});
  }
  ::poll(ends.data(), ends.size(), kPollMs);
  Progress::tick();
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills what is used
  for (std::size_t i = 0; i < running_.size();) {
    ssize_t got = 0;
    while ((got = ::read(running_[i].pipe, buffer.data(), buffer.size())) > 0) {
      running_[i].answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      ++i;
      continue;
    }
    const Running ended = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    HONE_CHECK(finish(ended));
  }
  return {};
}

Result<std::size_t> DeviceExecutor::wait(std::span<const engine::Ticket> tickets) {
  while (true) {
    const auto done = std::ranges::find_if(
        tickets, [&](const engine::Ticket& ticket) { return results_.contains(ticket); });
    if (done != tickets.end()) {
      return static_cast<std::size_t>(done - tickets.begin());
    }
    if (interrupted()) {
      return interruptedError();
    }
    HONE_CHECK(startUnits());
    if (running_.empty()) {
      return machineError(
          "internal error: waiting for units that were not submitted (please report it)");
    }
    HONE_CHECK(collect());
  }
}

Result<engine::UnitResult> DeviceExecutor::result(const engine::Ticket& ticket) {
  HONE_CHECK(wait(std::span(&ticket, 1)));
  return std::move(results_.extract(ticket).mapped());
}

bool DeviceExecutor::withdraw(const engine::Ticket& ticket) {
  return std::erase_if(queue_, [&](const Queued& one) { return one.ticket == ticket; }) > 0;
}

}  // namespace hone::cluster
