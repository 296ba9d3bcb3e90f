#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/result/summary/bench_result.h"
#include "model/result/summary/kernel_result.h"
#include "model/result/summary/profile_result.h"
#include "model/result/summary/split_result.h"
#include "model/result/summary/tune_result.h"
#include "store/export.h"
#include "store/store.h"
#include "tests/source_folder.h"

// Reads a store written by an older hone; see tests/data/README.md.

namespace hone::store {
namespace {

using nlohmann::json;

class OlderStore : public testing::Test {
 protected:
  OlderStore() { std::filesystem::copy_file(sourceFolder() / "tests/data/store_2.db", file()); }

  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "hone.db"; }
  /// Calls `check` with the text of each row of a query of one column.
  void each(const char* sql, const std::function<void(const json&)>& check) const {
    const SQLite::Database database(file().string());
    SQLite::Statement rows(database, sql);
    int count = 0;
    while (rows.executeStep()) {
      check(json::parse(rows.getColumn(0).getString()));
      ++count;
    }
    EXPECT_GT(count, 0) << sql;
  }

 private:
  ScratchFolder folder_ = ScratchFolder::create("hone-older-store").value();
};

TEST_F(OlderStore, RoundTripsRunDetails) {
  each("SELECT details FROM runs", [](const json& kept) {
    const model::RunDetails details = model::runDetailsFrom(kept);
    // First-call times and the bounds that replace them are kept but never read.
    json unknown = details.others.empty() ? json::object() : json::parse(details.others);
    unknown.erase("look_ns");
    unknown.erase("stopped");
    EXPECT_EQ(unknown, json::object());
    EXPECT_EQ(toJson(details), kept);
  });
}

TEST_F(OlderStore, RoundTripsTrialDetails) {
  each("SELECT details FROM trials", [](const json& kept) {
    const model::TrialDetails details = model::trialDetailsFrom(kept);
    // First-call times and the bounds that replace them are kept but never read.
    json unknown = details.others.empty() ? json::object() : json::parse(details.others);
    unknown.erase("look_ns");
    unknown.erase("stopped");
    EXPECT_EQ(unknown, json::object());
    EXPECT_EQ(toJson(details), kept);
  });
}

TEST_F(OlderStore, RoundTripsSummaries) {
  each("SELECT summary FROM runs WHERE verb = 'bench'",
       [](const json& kept) { EXPECT_EQ(toJson(model::benchResultFrom(kept).value()), kept); });
  each("SELECT summary FROM runs WHERE verb = 'profile'",
       [](const json& kept) { EXPECT_EQ(toJson(model::profileResultFrom(kept).value()), kept); });
  each("SELECT summary FROM runs WHERE verb = 'split'", [](const json& kept) {
    const auto annotation = model::splitAnnotationFrom(kept).value();
    EXPECT_EQ(annotation ? toJson(*annotation) : toJson(model::splitResultFrom(kept).value()),
              kept);
  });
  each("SELECT summary FROM runs WHERE verb = 'kernel'", [](const json& kept) {
    const model::KernelResult result = model::kernelResultFrom(kept).value();
    EXPECT_EQ(result.outcome.improved ? toJson(result.outcome) : toJson(result), kept);
  });
  each("SELECT summary FROM runs WHERE verb = 'tune' AND status = 'finished'",
       [](const json& kept) { EXPECT_EQ(toJson(model::tuneResultFrom(kept).value()), kept); });
}

TEST_F(OlderStore, ExportsStoredData) {
  const Store store = Store::open(file(), Store::Mode::read).value();
  const std::vector<RunLine> lines = store.listRuns(0).value();
  for (const RunLine& line : lines) {
    const json document = exportJson(store, line.id).value();
    EXPECT_EQ(document["summary"], json::parse(store.run(line.id).value()->summary));
    EXPECT_EQ(document["trials"].size(), static_cast<std::size_t>(line.trials));
    EXPECT_FALSE(exportCsv(store, line.id).value().empty());
  }
}

TEST_F(OlderStore, CanBeWritten) {
  Store store = Store::open(file(), Store::Mode::write).value();
  const auto run = store.unfinishedRun(store.run(13).value()->key).value();
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->details.spaces.empty());
  ASSERT_TRUE(store.setDetails(run->id, run->details));
  EXPECT_EQ(store.run(run->id).value()->details, run->details);
}

}  // namespace
}  // namespace hone::store
