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
  /// The next events that hold the text; those before it are passed over.
  static std::string eventsWith(Listener& listener, const std::string& text) {
    while (const auto events = listener.next()) {
      if (events->contains(text)) {
        return *events;
      }
    }
    return "the feed is stopped";
  }

  WrittenStore written_;
  LiveStore live_{written_.file()};
  Documents documents_{live_};
  Feed feed_{live_, documents_};
};

TEST_F(FeedTest, TellsOfCommitsByTheirVersion) {
  store::Store store = written_.open();
  const std::int64_t run = WrittenStore::addRun(store);
  const std::int64_t have = documents_.current(run).value()->last;
  const auto listener = feed_.listen(run, have);
  WrittenStore::addTrial(store, run, "first");
  const std::string events = eventsWith(*listener, "data: ");
  const std::int64_t now = live_.version().value();
  EXPECT_GT(now, have);
  EXPECT_THAT(events, StartsWith("id: "));
  EXPECT_THAT(events, HasSubstr(fmt::format("data: {}\n\n", now)));
}

TEST_F(FeedTest, APageOfAnEarlierServerIsToldAtOnce) {
  store::Store store = written_.open();
  const std::int64_t run = WrittenStore::addRun(store);
  EXPECT_THAT(eventsWith(*feed_.listen(run, -1), "data: "), StartsWith("id: "));
}

TEST_F(FeedTest, TellsHowFarTheRunIsAndWhenItEnds) {
  store::Store store = written_.open();
  const std::int64_t run = WrittenStore::addRun(store);
  const auto listener = feed_.listen(run, documents_.current(run).value()->last);
  const auto list = feed_.listen(kRunList, documents_.current(kRunList).value()->last);
  const auto other = feed_.listen(run + 1, -1);
  std::optional<store::ProgressFile> file(std::in_place, written_.file(), run);
  file->see({.stage = "race", .done = 3, .total = 9, .best = {}, .note = {}, .secondsLeft = {}},
            true);
  for (Listener* one : {listener.get(), list.get()}) {
    const std::string events = eventsWith(*one, "event: progress\n");
    EXPECT_THAT(events, HasSubstr("\"stage\":\"race\""));
    EXPECT_THAT(events, HasSubstr("\"done\":3"));
  }
  EXPECT_THAT(eventsWith(*other, "event: "), HasSubstr("event: gone"))
      << "the progress of another run is nothing to it";
  file.reset();
  EXPECT_THAT(eventsWith(*listener, "event: progress\n"), HasSubstr("data: null"));
}

TEST_F(FeedTest, ADeletedRunIsGone) {
  std::int64_t run = 0;
  {
    store::Store store = written_.open();
    run = WrittenStore::addRun(store);
  }
  const auto listener = feed_.listen(run, documents_.current(run).value()->last);
  SQLite::Database(written_.file().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
  EXPECT_THAT(eventsWith(*listener, "event: "), HasSubstr("event: gone"));
}

TEST_F(FeedTest, EndsAllWhoListen) {
  auto listener = feed_.listen(kRunList, documents_.current(kRunList).value()->last);
  auto next = std::async(std::launch::async, [gone = std::move(listener)] { return gone->next(); });
  feed_.stop();
  EXPECT_EQ(next.get(), std::nullopt);
  EXPECT_EQ(feed_.listen(kRunList, 0), nullptr);
}

TEST_F(FeedTest, ListensToSoManyAndNoMoreUntilOneLeaves) {
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
