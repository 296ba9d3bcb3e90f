#include "serve/documents.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/test_store.h"

namespace hone::serve {
namespace {

using nlohmann::json;
using Kind = Update::Kind;
using News = Documents::News;

class DocumentsTest : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t versionOf(Page page) { return documents_.current(page).value()->last; }
  [[nodiscard]] Update since(Page page, std::int64_t have) {
    return documents_.since(page, have).value().value();
  }

  WrittenStore written_;
  LiveStore live_{written_.file()};
  Documents documents_{live_};
};

TEST_F(DocumentsTest, TheListIsThereWithoutAStoreAndRunsAreNot) {
  EXPECT_EQ(documents_.current(kRunList).value()->content->document["answer"]["headline"],
            "No runs yet.");
  EXPECT_EQ(documents_.current(1).value(), nullptr);
  EXPECT_EQ(documents_.since(1, 0).value(), std::nullopt);
  EXPECT_EQ(documents_.newsFor(1, 0).value(), News::gone);
}

TEST_F(DocumentsTest, APageIsSentOnlyWhatIsNew) {
  store::Store store = written_.open();
  const std::int64_t run = WrittenStore::addRun(store);
  for (int i = 0; i < 100; ++i) {
    WrittenStore::addTrial(store, run, fmt::format("trial {}", i));
  }
  const auto before = documents_.current(run).value();
  EXPECT_EQ(since(run, before->last).kind, Kind::none);
  WrittenStore::addTrial(store, run, "the next one");
  const Update update = since(run, before->last);
  ASSERT_EQ(update.kind, Kind::patch);
  EXPECT_GT(update.version, before->last);
  const json after = documents_.current(run).value()->content->document;
  EXPECT_EQ(before->content->document.patch(json::parse(update.body)), after);
  EXPECT_THAT(after.dump(), testing::HasSubstr("the next one"));
  EXPECT_LT(update.body.size(), after.dump().size() / 2);
  EXPECT_EQ(since(run, update.version).kind, Kind::none);
  const Update whole = since(run, -1);
  EXPECT_EQ(whole.kind, Kind::whole);
  EXPECT_EQ(json::parse(whole.body), after);
}

TEST_F(DocumentsTest, WhatOtherRunsDoIsNoNewsForARunThatIsOver) {
  store::Store store = written_.open();
  const std::int64_t over = WrittenStore::addRun(store);
  WrittenStore::addTrial(store, over, "first");
  const std::int64_t early = versionOf(over);
  ASSERT_TRUE(store.finishRun(over, store::RunStatus::finished, json::object()));
  EXPECT_EQ(documents_.newsFor(over, early).value(), News::changed) << "that it is over is news";
  const std::int64_t version = versionOf(over);
  const auto content = documents_.current(over).value()->content;
  const std::int64_t other = WrittenStore::addRun(store);
  WrittenStore::addTrial(store, other, "first");
  EXPECT_EQ(documents_.newsFor(over, version).value(), News::none);
  EXPECT_EQ(documents_.newsFor(over, early).value(), News::changed)
      << "another page may have it already, this one not";
  EXPECT_EQ(documents_.current(over).value()->content, content) << "not made again";
  EXPECT_EQ(since(over, version).kind, Kind::none);
  EXPECT_EQ(documents_.newsFor(kRunList, version).value(), News::changed);
}

TEST_F(DocumentsTest, ADeletedRunIsGone) {
  std::int64_t run = 0;
  {
    store::Store store = written_.open();
    run = WrittenStore::addRun(store);
    ASSERT_NE(documents_.current(run).value(), nullptr);
  }
  SQLite::Database(written_.file().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
  EXPECT_EQ(documents_.newsFor(run, 0).value(), News::gone);
  EXPECT_EQ(documents_.current(run).value(), nullptr);
}

TEST_F(DocumentsTest, ARunOfAnotherStoreIsAnotherRun) {
  const auto write = [&](const std::string& trial) {
    store::Store store = written_.open();
    const std::int64_t run = WrittenStore::addRun(store);
    WrittenStore::addTrial(store, run, trial);
    EXPECT_TRUE(store.finishRun(run, store::RunStatus::finished, json::object()));
    return run;
  };
  const std::int64_t run = write("of the first store");
  const std::int64_t have = versionOf(run);
  written_.remove();
  ASSERT_EQ(write("of the second store"), run) << "with the same number";
  EXPECT_EQ(documents_.newsFor(run, have).value(), News::changed);
  const Update update = since(run, have);
  EXPECT_EQ(update.kind, Kind::whole);
  EXPECT_THAT(update.body, testing::HasSubstr("of the second store"));
}

TEST_F(DocumentsTest, WaitsLongerTheMoreListen) {
  const auto due = documents_.due(kRunList, 1);
  EXPECT_LE(due, Documents::Clock::now()) << "nothing was made yet";
  ASSERT_TRUE(documents_.current(kRunList));
  const auto made = Documents::Clock::now();
  EXPECT_GT(documents_.due(kRunList, 1), made);
  EXPECT_GT(documents_.due(kRunList, 1'000'000'000), documents_.due(kRunList, 1));
}

TEST_F(DocumentsTest, AnswersFromTheCacheMakeThePageNoCheaper) {
  store::Store store = written_.open();
  const std::int64_t run = WrittenStore::addRun(store);
  for (int i = 0; i < 100; ++i) {
    WrittenStore::addTrial(store, run, std::to_string(i));
  }
  const std::int64_t version = versionOf(run);
  constexpr std::size_t kMany = 1'000'000;
  const auto due = documents_.due(run, kMany);
  EXPECT_EQ(since(run, version).kind, Kind::none);
  EXPECT_EQ(versionOf(run), version);
  EXPECT_GE(documents_.due(run, kMany), due);
}

TEST_F(DocumentsTest, ManyPagesAreForgottenAndMadeAgain) {
  store::Store store = written_.open();
  std::vector<std::int64_t> runs;
  for (int i = 0; i < 20; ++i) {
    runs.push_back(WrittenStore::addRun(store));
  }
  for (const std::int64_t run : runs) {
    ASSERT_NE(documents_.current(run).value(), nullptr);
  }
  EXPECT_EQ(since(runs.front(), versionOf(runs.front())).kind, Kind::none);
}

}  // namespace
}  // namespace hone::serve
