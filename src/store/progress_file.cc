#include "store/progress_file.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "store/records.h"

namespace hone::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kPeriodNs = 1'000'000'000;

/// Returns true if the writing process is gone. Processes of other machines count as alive.
bool isStale(const json& record) {
  const auto process = static_cast<pid_t>(record.value("process", std::int64_t{0}));
  return record.value("host", "") == hostName() && process > 0 && ::kill(process, 0) != 0 &&
         errno == ESRCH;
}

/// Removes the complete and partial files of a killed process.
void removeLeftovers(const fs::path& file) {
  std::error_code ignored;
  const std::string name = file.filename().string();
  for (const auto& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with(name)) {
      fs::remove(entry.path(), ignored);
    }
  }
}

RunProgress progressFrom(const json& record) {
  RunProgress progress;
  progress.run = record.value("run", std::int64_t{0});
  progress.state.stage = record.value("stage", "");
  progress.state.done = record.value("done", std::int64_t{0});
  progress.state.total = record.value("total", std::int64_t{0});
  progress.state.best = record.value("best", "");
  progress.state.note = record.value("note", "");
  if (const auto left = record.find("seconds_left"); left != record.end() && left->is_number()) {
    progress.state.secondsLeft = left->get<std::int64_t>();
  }
  return progress;
}

}  // namespace

fs::path progressFilePath(const fs::path& store) {
  std::error_code code;  // all paths of a store share one file
  const fs::path whole = fs::weakly_canonical(fs::absolute(store), code);
  return (code ? store : whole).string() + ".progress.json";
}

json toJson(const RunProgress& progress) {
  const ProgressState& state = progress.state;
  return {{"run", progress.run},
          {"stage", state.stage},
          {"done", state.done},
          {"total", state.total},
          {"best", state.best},
          {"note", state.note},
          {"seconds_left", state.secondsLeft ? json(*state.secondsLeft) : json()}};
}

std::optional<RunProgress> readProgress(const fs::path& store) {
  const auto text = readFile(progressFilePath(store));
  const json record = text ? json::parse(*text, nullptr, false) : json();
  if (!record.is_object()) {
    return std::nullopt;
  }
  try {
    return isStale(record) ? std::nullopt : std::optional(progressFrom(record));
  } catch (const json::exception&) {  // a member of another type: not written by hone
    return std::nullopt;
  }
}

ProgressFile::ProgressFile(const fs::path& store, std::int64_t run)
    : file_(progressFilePath(store)), run_(run), owner_(::getpid()) {
  removeLeftovers(file_);
}

ProgressFile::~ProgressFile() {
  if (owner_ != ::getpid()) {
    return;  // a forked child
  }
  try {
    // The store may have been released, and another process may write it by now.
    const auto text = readFile(file_);
    const json record = text ? json::parse(*text, nullptr, false) : json();
    if (record.is_object() && record.value("process", json()) == json(owner_)) {
      std::error_code ignored;
      fs::remove(file_, ignored);
    }
  } catch (const std::exception&) {  // out of memory: the next run removes the file
    return;
  }
}

void ProgressFile::see(const ProgressState& state, bool newStage) {
  const std::int64_t now = nowNs();
  if (!newStage && lastWriteNs_ != 0 && now - lastWriteNs_ < kPeriodNs) {
    return;
  }
  lastWriteNs_ = now;
  json record = toJson({run_, state});
  record["process"] = owner_;
  record["host"] = hostName();
  static_cast<void>(writeScratchFile(file_, jsonText(record)));
}

}  // namespace hone::store
