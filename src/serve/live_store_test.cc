#include "serve/live_store.h"

#include <gtest/gtest.h>

#include "serve/test_store.h"

namespace hone::serve {
namespace {

namespace fs = std::filesystem;

/// How many runs are seen; none without a store.
std::size_t runsIn(LiveStore& live) {
  return live.read([](const store::Store& store) { return store.listRuns(0); }).value().size();
}

TEST(LiveStore, IsEmptyUntilTheStoreAppears) {
  const WrittenStore written;
  LiveStore live(written.file());
  const std::int64_t before = live.version().value();
  EXPECT_EQ(live.version().value(), before);
  EXPECT_EQ(runsIn(live), 0U);
  store::Store store = written.open();
  WrittenStore::addRun(store);
  EXPECT_NE(live.version().value(), before);
  EXPECT_EQ(runsIn(live), 1U);
}

TEST(LiveStore, ChangesWithEveryCommitAndOnlyThen) {
  const WrittenStore written;
  store::Store store = written.open();
  const std::int64_t run = WrittenStore::addRun(store);
  LiveStore live(written.file());
  std::int64_t last = live.version().value();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(live.version().value(), last);
    WrittenStore::addTrial(store, run, std::to_string(i));
    const std::int64_t now = live.version().value();
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST(LiveStore, FollowsAStoreThatIsReplacedOrRemoved) {
  const WrittenStore written;
  {
    store::Store store = written.open();
    WrittenStore::addRun(store);
    WrittenStore::addRun(store);
  }
  LiveStore live(written.file());
  EXPECT_EQ(runsIn(live), 2U);
  const std::int64_t first = live.version().value();
  EXPECT_EQ(live.opened(), 1);
  written.remove();
  EXPECT_EQ(runsIn(live), 0U);
  const std::int64_t second = live.version().value();
  EXPECT_GT(second, first);
  store::Store store = written.open();
  WrittenStore::addRun(store);
  EXPECT_EQ(runsIn(live), 1U);
  EXPECT_GT(live.version().value(), second);
  EXPECT_EQ(live.opened(), 2);
}

TEST(LiveStore, WhatIsNoStoreIsAnErrorAndNotTheEnd) {
  const WrittenStore written;
  LiveStore live(written.file());
  ASSERT_TRUE(writeFile(written.file(), "something else"));
  EXPECT_FALSE(live.version());
  fs::remove(written.file());
  EXPECT_TRUE(live.version());
}

}  // namespace
}  // namespace hone::serve
