#include "serve/feed.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "serve/test_store.h"

namespace hone::serve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FeedTest : public testing::Test {
 protected:
  /// Returns the next events that contain `text`; skips others.
  static std::string waitForEvents(Listener& listener, const std::string& text) {
    while (const auto events = listener.next()) {
      if (events->contains(text)) {
        return *events;
      }
    }
    return "the feed is stopped";
  }

  TestStore written_;
  LiveStore live_{written_.file()};
  Documents documents_{live_};
  Feed feed_{live_, documents_};
};

TEST_F(FeedTest, AnnouncesCommitsWithVersion) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  const std::int64_t have = documents_.current(run).value()->last;
  const auto listener = feed_.listen(run, have);
  TestStore::addTrial(store, run, "first");
  const std::string events = waitForEvents(*listener, "data: ");
  const std::int64_t now = live_.version().value();
  EXPECT_GT(now, have);
  EXPECT_THAT(events, StartsWith("id: "));
  EXPECT_THAT(events, HasSubstr(fmt::format("data: {}\n\n", now)));
}

TEST_F(FeedTest, UpdatesPageOfEarlierServer) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  EXPECT_THAT(waitForEvents(*feed_.listen(run, -1), "data: "), StartsWith("id: "));
}

TEST_F(FeedTest, SendsProgressUntilRunEnds) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  const auto listener = feed_.listen(run, documents_.current(run).value()->last);
  const auto list = feed_.listen(kRunList, documents_.current(kRunList).value()->last);
  const auto other = feed_.listen(run + 1, -1);
  std::optional<store::ProgressFile> file(std::in_place, written_.file(), run);
  file->see({.stage = "race", .done = 3, .total = 9, .best = {}, .note = {}, .secondsLeft = {}},
            true);
  for (Listener* one : {listener.get(), list.get()}) {
    const std::string events = waitForEvents(*one, "event: progress\n");
    EXPECT_THAT(events, HasSubstr("\"stage\":\"race\""));
    EXPECT_THAT(events, HasSubstr("\"done\":3"));
  }
  EXPECT_THAT(waitForEvents(*other, "event: "), HasSubstr("event: gone"))
      << "progress of other runs is not sent";
  file.reset();
  EXPECT_THAT(waitForEvents(*listener, "event: progress\n"), HasSubstr("data: null"));
}

TEST_F(FeedTest, SendsGoneForDeletedRun) {
  std::int64_t run = 0;
  {
    store::Store store = written_.open();
    run = TestStore::addRun(store);
  }
  const auto listener = feed_.listen(run, documents_.current(run).value()->last);
  SQLite::Database(written_.file().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
  EXPECT_THAT(waitForEvents(*listener, "event: "), HasSubstr("event: gone"));
}

TEST_F(FeedTest, StopEndsListeners) {
  auto listener = feed_.listen(kRunList, documents_.current(kRunList).value()->last);
  auto next = std::async(std::launch::async, [gone = std::move(listener)] { return gone->next(); });
  feed_.stop();
  EXPECT_EQ(next.get(), std::nullopt);
  EXPECT_EQ(feed_.listen(kRunList, 0), nullptr);
}

TEST_F(FeedTest, LimitsNumberOfListeners) {
  std::vector<std::unique_ptr<Listener>> listeners;
  while (auto listener = feed_.listen(kRunList, 0)) {
    listeners.push_back(std::move(listener));
    ASSERT_LT(listeners.size(), 1000U);
  }
  EXPECT_GT(listeners.size(), 8U);
  listeners.pop_back();
  EXPECT_NE(feed_.listen(kRunList, 0), nullptr);
}

}  // namespace
}  // namespace hone::serve
