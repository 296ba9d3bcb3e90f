#include "serve/feed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "store/records.h"

namespace hone::serve {
namespace {

constexpr std::size_t kMaxListeners = 24;
constexpr std::chrono::seconds kFeedPeriod{1};
constexpr std::chrono::seconds kHeartbeat{15};
constexpr std::chrono::seconds kStopTimeout{2};
constexpr const char* kComment = ": heartbeat\n\n";

}  // namespace

Feed::Feed(LiveStore& store, Documents& documents)
    : store_(store), documents_(documents), thread_([this] { watch(); }) {}

Feed::~Feed() {
  stop();
  thread_.join();
}

void Feed::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, kStopTimeout, [this] { return listeners_ == 0; });
}

Snapshot Feed::poll() {
  // A store that is temporarily unreadable counts as unchanged.
  const auto version = store_.version();
  return {.version = version ? *version : lastVersion(),
          .progress = store::readProgress(store_.file())};
}

std::int64_t Feed::lastVersion() {
  const std::scoped_lock lock(mutex_);
  return seen_.version;
}

void Feed::watch() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    changed_.wait(lock, [this] { return stopped_ || listeners_ > 0; });
    lock.unlock();
    Snapshot now = poll();
    lock.lock();
    if (now != seen_) {
      seen_ = std::move(now);
      changed_.notify_all();
    }
    const auto next = Documents::Clock::now() + kFeedPeriod;
    while (!stopped_ && changed_.wait_until(lock, next) != std::cv_status::timeout) {
    }
  }
}

std::unique_ptr<Listener> Feed::listen(Page page, std::int64_t have) {
  Snapshot now = poll();  // the latest may be hours old
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_ || listeners_ >= kMaxListeners) {
      return nullptr;
    }
    ++listeners_;
    seen_ = std::move(now);
  }
  changed_.notify_all();
  return std::make_unique<Listener>(*this, page, have);
}

void Feed::removeListener() {
  {
    const std::scoped_lock lock(mutex_);
    --listeners_;
  }
  changed_.notify_all();
}

std::size_t Feed::listeners() {
  const std::scoped_lock lock(mutex_);
  return listeners_;
}

std::optional<Snapshot> Feed::seen() {
  const std::scoped_lock lock(mutex_);
  return stopped_ ? std::nullopt : std::optional(seen_);
}

void Feed::waitForChange(const Snapshot& known, Documents::Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return stopped_ || seen_ != known; });
}

std::string Listener::progressEvent(const Snapshot& snapshot) {
  const bool relevant = snapshot.progress && (page_ == kRunList || snapshot.progress->run == page_);
  std::string data = relevant ? jsonText(toJson(*snapshot.progress)) : "null";
  if (data == sentProgress_ || (!relevant && sentProgress_.empty())) {
    return "";
  }
  sentProgress_ = data;
  return fmt::format("event: progress\ndata: {}\n\n", data);
}

std::string Listener::changeEvent(const Snapshot& snapshot, Documents::Clock::time_point& wake) {
  if (snapshot.version == sentVersion_ || gone_) {
    return "";
  }
  const auto nextRefresh = feed_.documents_.nextRefresh(page_, feed_.listeners());
  if (nextRefresh > Documents::Clock::now()) {
    wake = std::min(wake, nextRefresh);
    return "";
  }
  const auto change = feed_.documents_.changeSince(page_, sentVersion_);
  sentVersion_ = snapshot.version;
  if (!change || *change == Documents::Change::none) {
    return "";
  }
  gone_ = *change == Documents::Change::gone;
  return gone_ ? "event: gone\ndata: {}\n\n"
               : fmt::format("id: {0}\ndata: {0}\n\n", snapshot.version);
}

std::optional<std::string> Listener::next() {
  const auto end = Documents::Clock::now() + kHeartbeat;
  while (const auto snapshot = feed_.seen()) {
    auto wake = end;
    std::string events = progressEvent(*snapshot) + changeEvent(*snapshot, wake);
    if (!events.empty()) {
      return events;
    }
    if (Documents::Clock::now() >= end) {
      return kComment;
    }
    feed_.waitForChange(*snapshot, wake);
  }
  return std::nullopt;
}

}  // namespace hone::serve
