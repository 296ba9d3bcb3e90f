#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "serve/documents.h"
#include "serve/live_store.h"
#include "store/progress_file.h"

namespace hone::serve {

/// What was seen of the store and its run at one look.
struct Look {
  std::int64_t version = 0;  ///< of the store
  std::optional<store::RunProgress> progress;

  bool operator==(const Look&) const = default;
};

class Listener;

/// Looks at the store once a second, and only while somebody listens.
class Feed {
 public:
  Feed(LiveStore& store, Documents& documents);
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed();

  /// For a page that has the document of version `have`; null when too many listen already. The
  /// feed must outlive its listeners.
  [[nodiscard]] std::unique_ptr<Listener> listen(Page page, std::int64_t have);
  /// Lets all listeners go, and waits for a moment until they are.
  void stop();

 private:
  friend class Listener;

  void watch();
  [[nodiscard]] Look look();
  [[nodiscard]] std::int64_t lastVersion();
  /// The last look; nothing once it is stopped.
  [[nodiscard]] std::optional<Look> seen();
  /// Until there is another look than this, the feed is stopped, or the time has come.
  void waitForNews(const Look& known, Documents::Clock::time_point until);
  void leave();
  [[nodiscard]] std::size_t listeners();

  LiveStore& store_;
  Documents& documents_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Look seen_;
  std::size_t listeners_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

/// One page that is kept up to date by server-sent events: `progress` with how far the run is (null
/// when none goes on), `gone` when the run is deleted, and a message when the document changed.
class Listener {
 public:
  Listener(Feed& feed, Page page, std::int64_t have) : feed_(feed), page_(page), told_(have) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { feed_.leave(); }

  /// Waits for the next events, or for a comment now and then, by which a dead connection shows.
  /// Nothing: the feed is stopped.
  [[nodiscard]] std::optional<std::string> next();

 private:
  [[nodiscard]] std::string progressEvent(const Look& look);
  /// Where it is too early to tell, `wake` becomes the time to try again.
  [[nodiscard]] std::string changeEvent(const Look& look, Documents::Clock::time_point& wake);

  Feed& feed_;
  Page page_;
  std::int64_t told_;  ///< the version that the page knows of
  std::string toldProgress_;
  bool gone_ = false;
};

}  // namespace hone::serve
