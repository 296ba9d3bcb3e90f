#include "serve/live_store.h"

#include <gtest/gtest.h>

#include "serve/test_store.h"

namespace hone::serve {
namespace {

namespace fs = std::filesystem;

/// Returns the number of visible runs, 0 without a store.
std::size_t countRuns(LiveStore& live) {
  return live.read([](const store::Store& store) { return store.listRuns(0); }).value().size();
}

TEST(LiveStore, IsEmptyUntilStoreExists) {
  const TestStore written;
  LiveStore live(written.file());
  const std::int64_t before = live.version().value();
  EXPECT_EQ(live.version().value(), before);
  EXPECT_EQ(countRuns(live), 0U);
  store::Store store = written.open();
  TestStore::addRun(store);
  EXPECT_NE(live.version().value(), before);
  EXPECT_EQ(countRuns(live), 1U);
}

TEST(LiveStore, VersionChangesOnlyOnCommit) {
  const TestStore written;
  store::Store store = written.open();
  const std::int64_t run = TestStore::addRun(store);
  LiveStore live(written.file());
  std::int64_t last = live.version().value();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(live.version().value(), last);
    TestStore::addTrial(store, run, std::to_string(i));
    const std::int64_t now = live.version().value();
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST(LiveStore, FollowsReplacedAndRemovedStore) {
  const TestStore written;
  {
    store::Store store = written.open();
    TestStore::addRun(store);
    TestStore::addRun(store);
  }
  LiveStore live(written.file());
  EXPECT_EQ(countRuns(live), 2U);
  const std::int64_t first = live.version().value();
  EXPECT_EQ(live.opened(), 1);
  written.remove();
  EXPECT_EQ(countRuns(live), 0U);
  const std::int64_t second = live.version().value();
  EXPECT_GT(second, first);
  store::Store store = written.open();
  TestStore::addRun(store);
  EXPECT_EQ(countRuns(live), 1U);
  EXPECT_GT(live.version().value(), second);
  EXPECT_EQ(live.opened(), 2);
}

TEST(LiveStore, RecoversFromInvalidStore) {
  const TestStore written;
  LiveStore live(written.file());
  ASSERT_TRUE(writeFile(written.file(), "something else"));
  EXPECT_FALSE(live.version());
  fs::remove(written.file());
  EXPECT_TRUE(live.version());
}

}  // namespace
}  // namespace hone::serve
