#include "serve/feed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "store/records.h"

namespace hone::serve {
namespace {

constexpr std::size_t kMostListeners = 24;
constexpr std::chrono::seconds kFeedPeriod{1};
constexpr std::chrono::seconds kHeartbeat{15};
constexpr std::chrono::seconds kPatience{2};
constexpr const char* kComment = ": still here\n\n";

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
  changed_.wait_for(lock, kPatience, [this] { return listeners_ == 0; });
}

Look Feed::look() {
  // A store that cannot be read for a moment has not changed.
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
    Look now = look();
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
  Look now = look();  // the last one may be of hours ago
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_ || listeners_ >= kMostListeners) {
      return nullptr;
    }
    ++listeners_;
    seen_ = std::move(now);
  }
  changed_.notify_all();
  return std::make_unique<Listener>(*this, page, have);
}

void Feed::leave() {
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

std::optional<Look> Feed::seen() {
  const std::scoped_lock lock(mutex_);
  return stopped_ ? std::nullopt : std::optional(seen_);
}

void Feed::waitForNews(const Look& known, Documents::Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return stopped_ || seen_ != known; });
}

std::string Listener::progressEvent(const Look& look) {
  const bool mine = look.progress && (page_ == kRunList || look.progress->run == page_);
  std::string data = mine ? store::jsonText(toJson(*look.progress)) : "null";
  if (data == toldProgress_ || (!mine && toldProgress_.empty())) {
    return "";
  }
  toldProgress_ = data;
  return fmt::format("event: progress\ndata: {}\n\n", data);
}

std::string Listener::changeEvent(const Look& look, Documents::Clock::time_point& wake) {
  if (look.version == told_ || gone_) {
    return "";
  }
  const auto due = feed_.documents_.due(page_, feed_.listeners());
  if (due > Documents::Clock::now()) {
    wake = std::min(wake, due);
    return "";
  }
  const auto news = feed_.documents_.newsFor(page_, told_);
  told_ = look.version;
  if (!news || *news == Documents::News::none) {
    return "";
  }
  gone_ = *news == Documents::News::gone;
  return gone_ ? "event: gone\ndata: {}\n\n" : fmt::format("id: {0}\ndata: {0}\n\n", look.version);
}

std::optional<std::string> Listener::next() {
  const auto end = Documents::Clock::now() + kHeartbeat;
  while (const auto look = feed_.seen()) {
    auto wake = end;
    std::string events = progressEvent(*look) + changeEvent(*look, wake);
    if (!events.empty()) {
      return events;
    }
    if (Documents::Clock::now() >= end) {
      return kComment;
    }
    feed_.waitForNews(*look, wake);
  }
  return std::nullopt;
}

}  // namespace hone::serve
