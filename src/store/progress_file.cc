#include "store/progress_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string_view>

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

/// Parses a progress file; null if it is missing or damaged.
json readRecord(const fs::path& file) {
  const auto text = readFile(file);
  json record = text ? json::parse(*text, nullptr, false) : json();
  return record.is_object() ? record : json();
}

/// Returns the start of the names of all progress files of a store.
fs::path progressPrefix(const fs::path& store) {
  std::error_code code;  // all paths of a store share the files
  const fs::path whole = fs::weakly_canonical(fs::absolute(store), code);
  return (code ? store : whole).string() + ".progress-";
}

/// Returns the complete and partial progress files of a store.
std::vector<fs::path> progressFiles(const fs::path& store) {
  std::vector<fs::path> files;
  std::error_code ignored;
  const fs::path prefix = progressPrefix(store);
  for (const auto& entry : fs::directory_iterator(prefix.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with(prefix.filename().string())) {
      files.push_back(entry.path());
    }
  }
  return files;
}

/// Removes the complete and partial files of killed runs.
void removeLeftovers(const fs::path& store) {
  constexpr std::string_view kEnd = ".json";
  for (const fs::path& file : progressFiles(store)) {
    const std::string name = file.string();
    const fs::path whole = name.substr(0, name.rfind(kEnd) + kEnd.size());
    const json record = readRecord(whole);
    bool isLeft = record.is_null();
    try {
      isLeft = isLeft || isStale(record);
    } catch (const json::exception&) {
      isLeft = true;
    }
    if (isLeft) {
      std::error_code ignored;
      fs::remove(file, ignored);
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

fs::path progressFilePath(const fs::path& store, std::int64_t run) {
  return fmt::format("{}{}.json", progressPrefix(store).string(), run);
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

std::vector<RunProgress> readProgress(const fs::path& store) {
  std::vector<RunProgress> all;
  for (const fs::path& file : progressFiles(store)) {
    const json record = file.extension() == ".json" ? readRecord(file) : json();
    try {
      if (!record.is_null() && !isStale(record)) {
        all.push_back(progressFrom(record));
      }
    } catch (const json::exception&) {  // a member of another type: not written by hone
      continue;
    }
  }
  std::ranges::sort(all, {}, &RunProgress::run);
  return all;
}

ProgressFile::ProgressFile(const fs::path& store, std::int64_t run)
    : file_(progressFilePath(store, run)), run_(run), owner_(::getpid()) {
  removeLeftovers(store);
}

ProgressFile::~ProgressFile() {
  if (owner_ != ::getpid()) {
    return;  // a forked child
  }
  try {
    // The run may have been released, and another process may work on it by now.
    const json record = readRecord(file_);
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
