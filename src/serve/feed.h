#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/documents.h"
#include "serve/live_store.h"
#include "store/progress_file.h"

namespace hone::serve {

/// State of the store and its running runs at one poll.
struct Snapshot {
  std::int64_t version = 0;  ///< version of the store
  std::vector<store::RunProgress> progress;

  bool operator==(const Snapshot&) const = default;
};

class Listener;

/// Polls the store once per second while there are listeners.
class Feed {
 public:
  Feed(LiveStore& store, Documents& documents);
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed();

  /// Returns a listener for a page with version `have`, or null if there are too many. The feed
  /// must outlive its listeners.
  [[nodiscard]] std::unique_ptr<Listener> listen(Page page, std::int64_t have);
  /// Stops all listeners and waits briefly until they are destroyed.
  void stop();

 private:
  friend class Listener;

  void watch();
  [[nodiscard]] Snapshot poll();
  [[nodiscard]] std::int64_t lastVersion();
  /// Returns the latest snapshot, or nullopt once stopped.
  [[nodiscard]] std::optional<Snapshot> seen();
  /// Waits until the snapshot differs from `known`, the feed is stopped, or `until`.
  void waitForChange(const Snapshot& known, Documents::Clock::time_point until);
  void removeListener();
  [[nodiscard]] std::size_t listeners();

  LiveStore& store_;
  Documents& documents_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Snapshot seen_;
  std::size_t listeners_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

/// Keeps one page up to date by server-sent events: `progress` with the progress of its run, or of
/// the newest running run on the list of runs (null if none is running), `gone` when the run is
/// deleted, and a message when the document changed.
class Listener {
 public:
  Listener(Feed& feed, Page page, std::int64_t have)
      : feed_(feed), page_(page), sentVersion_(have) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { feed_.removeListener(); }

  /// Waits for the next events. Returns a heartbeat comment after a while, to detect dead
  /// connections, and nullopt once the feed is stopped.
  [[nodiscard]] std::optional<std::string> next();

 private:
  [[nodiscard]] std::string progressEvent(const Snapshot& snapshot);
  /// Returns the change event, or "" if there is none. Lowers `wake` to the time to try again if it
  /// is too early.
  [[nodiscard]] std::string changeEvent(const Snapshot& snapshot,
                                        Documents::Clock::time_point& wake);

  Feed& feed_;
  Page page_;
  std::int64_t sentVersion_;  ///< latest version announced to the page
  std::string sentProgress_;
  bool gone_ = false;
};

}  // namespace hone::serve
