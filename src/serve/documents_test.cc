#include "serve/documents.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/test_store.h"

namespace hone::serve {
namespace {

using nlohmann::json;
using Kind = Update::Kind;
using Change = Documents::Change;

class DocumentsTest : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t currentVersion(Page page) {
    return documents_.current(page).value()->last;
  }
  [[nodiscard]] Update updateSince(Page page, std::int64_t have) {
    return documents_.updateSince(page, have).value().value();
  }

  TestStore written_;
  LiveStore live_{written_.file()};
  Documents documents_{live_};
};

TEST_F(DocumentsTest, ListsNoRunsWithoutStore) {
  EXPECT_EQ(documents_.current(kRunList).value()->content->document["answer"]["headline"],
            "No runs yet.");
  EXPECT_EQ(documents_.current(1).value(), nullptr);
  EXPECT_EQ(documents_.updateSince(1, 0).value(), std::nullopt);
  EXPECT_EQ(documents_.changeSince(1, 0).value(), Change::gone);
}

TEST_F(DocumentsTest, ListsResultsOfFinishedRuns) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  const auto result = [&] {
    const json document = documents_.current(kRunList).value()->content->document;
    return document["parts"][0]["columns"][2];
  };
  EXPECT_EQ(result()["name"], "result");
  EXPECT_EQ(result()["texts"], json({"not finished: 0 trials so far"}));
  TestStore::addTrial(store, run, "first");
  EXPECT_EQ(result()["texts"], json({"not finished: 1 trial so far"}));
  ASSERT_TRUE(store.finishRun(run, store::RunStatus::finished,
                              {{"candidates", {{{"name", "m"}, {"time_ns", 2000}}}}}));
  EXPECT_EQ(result()["texts"], json({"2.00 µs"}));
}

TEST_F(DocumentsTest, SendsOnlyChanges) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  for (int i = 0; i < 100; ++i) {
    TestStore::addTrial(store, run, fmt::format("trial {}", i));
  }
  const auto before = documents_.current(run).value();
  EXPECT_EQ(updateSince(run, before->last).kind, Kind::none);
  TestStore::addTrial(store, run, "the next one");
  const Update update = updateSince(run, before->last);
  ASSERT_EQ(update.kind, Kind::patch);
  EXPECT_GT(update.version, before->last);
  const json after = documents_.current(run).value()->content->document;
  EXPECT_EQ(before->content->document.patch(json::parse(update.body)), after);
  EXPECT_THAT(after.dump(), testing::HasSubstr("the next one"));
  EXPECT_LT(update.body.size(), after.dump().size() / 2);
  EXPECT_EQ(updateSince(run, update.version).kind, Kind::none);
  const Update whole = updateSince(run, -1);
  EXPECT_EQ(whole.kind, Kind::whole);
  EXPECT_EQ(json::parse(whole.body), after);
}

TEST_F(DocumentsTest, FinishedRunIgnoresOtherRuns) {
  store::Store store = written_.open();
  const std::int64_t over = TestStore::addRun(store);
  TestStore::addTrial(store, over, "first");
  const std::int64_t early = currentVersion(over);
  ASSERT_TRUE(store.finishRun(over, store::RunStatus::finished, json::object()));
  EXPECT_EQ(documents_.changeSince(over, early).value(), Change::changed) << "the run finished";
  const std::int64_t version = currentVersion(over);
  const auto content = documents_.current(over).value()->content;
  const std::int64_t other = TestStore::addRun(store);
  TestStore::addTrial(store, other, "first");
  EXPECT_EQ(documents_.changeSince(over, version).value(), Change::none);
  EXPECT_EQ(documents_.changeSince(over, early).value(), Change::changed)
      << "this page has the older version";
  EXPECT_EQ(documents_.current(over).value()->content, content) << "not rebuilt";
  EXPECT_EQ(updateSince(over, version).kind, Kind::none);
  EXPECT_EQ(documents_.changeSince(kRunList, version).value(), Change::changed);
}

TEST_F(DocumentsTest, ReportsDeletedRunAsGone) {
  std::int64_t run = 0;
  {
    store::Store store = written_.open();
    run = TestStore::addRun(store);
    ASSERT_NE(documents_.current(run).value(), nullptr);
  }
  SQLite::Database(written_.file().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
  EXPECT_EQ(documents_.changeSince(run, 0).value(), Change::gone);
  EXPECT_EQ(documents_.current(run).value(), nullptr);
}

TEST_F(DocumentsTest, DetectsReplacedStore) {
  const auto write = [&](const std::string& trial) {
    store::Store store = written_.open();
    const std::int64_t run = TestStore::addRun(store);
    TestStore::addTrial(store, run, trial);
    EXPECT_TRUE(store.finishRun(run, store::RunStatus::finished, json::object()));
    return run;
  };
  const std::int64_t run = write("of the first store");
  const std::int64_t have = currentVersion(run);
  written_.remove();
  ASSERT_EQ(write("of the second store"), run) << "same run id";
  EXPECT_EQ(documents_.changeSince(run, have).value(), Change::changed);
  const Update update = updateSince(run, have);
  EXPECT_EQ(update.kind, Kind::whole);
  EXPECT_THAT(update.body, testing::HasSubstr("of the second store"));
}

TEST_F(DocumentsTest, RefreshIntervalGrowsWithListeners) {
  const auto nextRefresh = documents_.nextRefresh(kRunList, 1);
  EXPECT_LE(nextRefresh, Documents::Clock::now()) << "nothing was built yet";
  ASSERT_TRUE(documents_.current(kRunList));
  const auto made = Documents::Clock::now();
  EXPECT_GT(documents_.nextRefresh(kRunList, 1), made);
  EXPECT_GT(documents_.nextRefresh(kRunList, 1'000'000'000), documents_.nextRefresh(kRunList, 1));
}

TEST_F(DocumentsTest, CachedAnswersDoNotLowerCost) {
  store::Store store = written_.open();
  const std::int64_t run = TestStore::addRun(store);
  for (int i = 0; i < 100; ++i) {
    TestStore::addTrial(store, run, std::to_string(i));
  }
  const std::int64_t version = currentVersion(run);
  constexpr std::size_t kMany = 1'000'000;
  const auto nextRefresh = documents_.nextRefresh(run, kMany);
  EXPECT_EQ(updateSince(run, version).kind, Kind::none);
  EXPECT_EQ(currentVersion(run), version);
  EXPECT_GE(documents_.nextRefresh(run, kMany), nextRefresh);
}

TEST_F(DocumentsTest, RebuildsEvictedDocuments) {
  store::Store store = written_.open();
  std::vector<std::int64_t> runs;
  for (int i = 0; i < 20; ++i) {
    runs.push_back(TestStore::addRun(store));
  }
  for (const std::int64_t run : runs) {
    ASSERT_NE(documents_.current(run).value(), nullptr);
  }
  EXPECT_EQ(updateSince(runs.front(), currentVersion(runs.front())).kind, Kind::none);
}

}  // namespace
}  // namespace hone::serve
