#include "store/store.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/text.h"
#include "store/schema.h"

namespace hone::store {
namespace {

using model::Outcome;
using model::Sample;
using model::Stage;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "hone.db"; }
  [[nodiscard]] Store writer() const { return Store::open(file(), Store::Mode::write).value(); }
  [[nodiscard]] Store reader() const { return Store::open(file(), Store::Mode::read).value(); }
  [[nodiscard]] Error openError(Store::Mode mode) const {
    auto store = Store::open(file(), mode);
    EXPECT_FALSE(store.has_value());
    return store ? Error{} : store.error();
  }
  void put(std::string_view bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-store-test").value();
};

store::Run makeRun(std::string key, std::vector<std::string> arguments = {}) {
  store::Run run;
  run.key = std::move(key);
  run.arguments = std::move(arguments);
  return run;
}

Trial makeTrial(std::string key) {
  Trial trial;
  trial.key = std::move(key);
  return trial;
}

TEST_F(StoreTest, PersistsWrittenData) {
  std::int64_t run = 0;
  std::int64_t trial = 0;
  {
    Store store = writer();
    run = store.addRun(makeRun("", {"tune", "a b"})).value();
    trial = store.addTrial(run, makeTrial("k"), {{Sample{.wallNs = 1.5}}}).value();
    ASSERT_TRUE(store.setDetails(run, model::runDetailsFrom({{"x", 1}})));
    ASSERT_TRUE(store.setOutcome(trial, Outcome::tooSlow, "slow"));
    ASSERT_TRUE(store.finishRun(run, RunStatus::finished, {{"best", "k"}}));
  }
  const Store store = reader();
  const auto kept = store.run(run).value().value();
  EXPECT_EQ(kept.status, RunStatus::finished);
  EXPECT_EQ(toJson(kept.details), json({{"x", 1}}));
  EXPECT_EQ(json::parse(kept.summary), json({{"best", "k"}}));
  EXPECT_FALSE(kept.finishedAt.empty());
  const auto trials = store.trials(run).value();
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].outcome, Outcome::tooSlow);
  EXPECT_EQ(trials[0].message, "slow");
  EXPECT_EQ(store.samples(run).value().size(), 1u);
}

TEST_F(StoreTest, DataVersionChangesOnCommit) {
  Store store = writer();
  const auto run = store.addRun(makeRun("")).value();
  const Store other = reader();
  const std::int64_t before = other.dataVersion().value();
  EXPECT_EQ(other.dataVersion().value(), before) << "no commit in between";
  ASSERT_TRUE(store.addTrial(run, makeTrial("k"), {}));
  const std::int64_t after = other.dataVersion().value();
  EXPECT_NE(after, before);
  EXPECT_EQ(other.status(run).value(), RunStatus::running);
  ASSERT_TRUE(store.finishRun(run, RunStatus::failed, {}));
  EXPECT_NE(other.dataVersion().value(), after);
  EXPECT_EQ(other.status(run).value(), RunStatus::failed);
  EXPECT_EQ(other.status(run + 1).value(), std::nullopt);
}

TEST_F(StoreTest, ListsNewestFirstWithCountsAndLimit) {
  Store store = writer();
  for (const char* name : {"first", "second", "third"}) {
    const auto run = store.addRun(makeRun("", {"tune", name, "a b"})).value();
    for (int i = 0; i < run; ++i) {
      ASSERT_TRUE(store.addTrial(run, makeTrial(std::to_string(i)), {}));
    }
  }
  const auto lines = store.listRuns(2).value();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].title, "tune third 'a b'");
  EXPECT_EQ(lines[0].trials, 3);
  EXPECT_EQ(lines[1].title, "tune second 'a b'");
  EXPECT_EQ(lines[1].trials, 2);
  EXPECT_EQ(store.listRuns(0).value().size(), 3u);
}

TEST_F(StoreTest, FindsNewestUnfinishedRunByKey) {
  Store store = writer();
  EXPECT_FALSE(store.unfinishedRun("k").value().has_value());
  const auto first = store.addRun(makeRun("k")).value();
  const auto second = store.addRun(makeRun("k")).value();
  ASSERT_TRUE(store.addRun(makeRun("other")));
  EXPECT_EQ(store.unfinishedRun("k").value()->id, second);
  ASSERT_TRUE(store.finishRun(second, RunStatus::failed, json::object()));
  EXPECT_EQ(store.unfinishedRun("k").value()->id, first);
}

TEST_F(StoreTest, RejectsDuplicateTrialKey) {
  Store store = writer();
  const auto run = store.addRun({}).value();
  const auto other = store.addRun({}).value();
  ASSERT_TRUE(store.addTrial(run, makeTrial("k"), {}));
  const auto again = store.addTrial(run, makeTrial("k"), {{Sample{}}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "run 1 already has a trial with the key 'k'");
  EXPECT_TRUE(store.addTrial(other, makeTrial("k"), {}));
  EXPECT_TRUE(store.samples(run).value().empty());
}

TEST_F(StoreTest, ListsTrialsByConfigName) {
  Store store = writer();
  const auto run = store.addRun({}).value();
  Trial named = makeTrial("named");
  named.config = {.name = "é \"8x8\"", .flags = {"--x"}, .attributes = {}};
  Trial unnamed = makeTrial("unnamed");
  unnamed.config.flags = {"--x"};
  unnamed.outcome = Outcome::mismatch;
  unnamed.message = "wrong";
  ASSERT_TRUE(store.addTrial(run, named, {}));
  ASSERT_TRUE(store.addTrial(run, unnamed, {}));
  ASSERT_TRUE(store.addTrial(run, makeTrial("empty"), {}));
  const auto lines = store.listTrials(run).value();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].config, named.config.name);
  EXPECT_EQ(lines[1].config, "unnamed");
  EXPECT_EQ(lines[1].outcome, Outcome::mismatch);
  EXPECT_EQ(lines[1].message, "wrong");
  EXPECT_EQ(lines[2].config, "baseline");
}

TEST_F(StoreTest, RejectsUnknownRunsAndTrials) {
  Store store = writer();
  EXPECT_THAT(store.addTrial(7, makeTrial("k"), {}).error().message, HasSubstr("no run 7"));
  EXPECT_THAT(store.finishRun(8, RunStatus::failed, {}).error().message, HasSubstr("no run 8"));
  EXPECT_THAT(store.setDetails(9, {}).error().message, HasSubstr("no run 9"));
  EXPECT_THAT(store.setOutcome(5, Outcome::ok, "").error().message, HasSubstr("no trial 5"));
  EXPECT_THAT(store.addSamples({{TrialSample{.trial = 6, .sample = {}}}}).error().message,
              HasSubstr("trial 6"));
  EXPECT_FALSE(store.run(1).value().has_value());
}

TEST_F(StoreTest, OrdersSamplesByStageRoundPosition) {
  Store store = writer();
  const auto run = store.addRun({}).value();
  const auto a = store.addTrial(run, makeTrial("a"), {}).value();
  const auto b = store.addTrial(run, makeTrial("b"), {}).value();
  const std::vector<TrialSample> ordered = {{a, {.stage = Stage::screen, .round = 2}},
                                            {b, {.stage = Stage::race, .position = 0}},
                                            {a, {.stage = Stage::race, .position = 1}},
                                            {a, {.stage = Stage::race, .round = 1}},
                                            {b, {.stage = Stage::final, .round = 0}}};
  std::vector<TrialSample> shuffled(ordered.rbegin(), ordered.rend());
  ASSERT_TRUE(store.addSamples(shuffled));
  EXPECT_EQ(store.samples(run).value(), ordered);
}

TEST_F(StoreTest, StoresNothingOfRoundWithDuplicate) {
  Store store = writer();
  const auto run = store.addRun({}).value();
  const auto trial = store.addTrial(run, makeTrial("a"), {{Sample{}}}).value();
  const std::vector<TrialSample> round = {{trial, {.round = 1}}, {trial, Sample{}}};
  EXPECT_FALSE(store.addSamples(round));
  EXPECT_EQ(store.samples(run).value().size(), 1u);
}

TEST_F(StoreTest, PreservesAnyBytesInMessages) {
  const std::string nasty("quote ' \" \\ \n\r\t \0 nul; DROP TABLE runs; — é 日本 \xff\xfe", 52);
  Store store = writer();
  const auto run = store.addRun({}).value();
  Trial trial = makeTrial(nasty);
  trial.problem = trial.message = trial.diagnostics = trial.artifact = nasty;
  trial.config.flags = {"--a=\"b\"\n", "é", std::string("\0", 1)};
  trial.id = store.addTrial(run, trial, {}).value();
  trial.run = run;
  EXPECT_THAT(store.trials(run).value(), ElementsAre(trial));
  EXPECT_EQ(store.addTrial(run, trial, {}).has_value(), false);
}

TEST_F(StoreTest, ReadersNeitherCreateNorWrite) {
  EXPECT_THAT(openError(Store::Mode::read).message, HasSubstr("no store"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  static_cast<void>(writer());
  Store store = reader();
  EXPECT_FALSE(store.addRun({}));
}

TEST_F(StoreTest, CreatesFolder) {
  EXPECT_TRUE(Store::open(folder_.path() / "a" / "b" / "hone.db", Store::Mode::write));
}

TEST_F(StoreTest, InitializesEmptyFile) {
  put("");
  EXPECT_THAT(openError(Store::Mode::read).message, HasSubstr("is not a hone store"));
  EXPECT_TRUE(writer().addRun({}));
}

TEST_F(StoreTest, RejectsOtherFilesUnchanged) {
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (a); PRAGMA application_id = 7");
  const std::string sqlite = readFile(file()).value();
  for (const std::string& content : {sqlite, std::string("text\n"), std::string(5000, 'x')}) {
    put(content);
    for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
      const Error error = openError(mode);
      EXPECT_EQ(error.fault, Fault::user);
      EXPECT_THAT(error.message, HasSubstr("is not a hone store"));
      EXPECT_EQ(readFile(file()).value(), content);
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(StoreTest, RejectsDamagedStore) {
  static_cast<void>(writer().addRun({}));
  std::string bytes = readFile(file()).value();
  bytes.replace(100, bytes.size() - 100, std::string(bytes.size() - 100, '\x5a'));
  put(bytes);
  const auto store = Store::open(file(), Store::Mode::read);
  const auto error = store ? store->run(1).error() : store.error();
  EXPECT_EQ(error.fault, Fault::user);
  EXPECT_THAT(error.message, HasSubstr("is not a hone store, or is damaged"));
}

TEST_F(StoreTest, RejectsFolder) {
  std::filesystem::create_directory(file());
  EXPECT_THAT(openError(Store::Mode::read).message, HasSubstr("is a folder"));
  EXPECT_THAT(openError(Store::Mode::write).message, HasSubstr("is a folder"));
}

void execute(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

TEST_F(StoreTest, RejectsNewerSchemaNamingBothVersions) {
  static_cast<void>(writer());
  execute(file(), "PRAGMA user_version = 99");
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    const Error error = openError(mode);
    EXPECT_EQ(error.fault, Fault::user);
    EXPECT_THAT(error.message, HasSubstr("version 99"));
    EXPECT_THAT(error.message, HasSubstr(fmt::format("up to {}", migrations().size())));
    EXPECT_EQ(splitAt(error.message, '\n').size(), 1u);
  }
}

TEST_F(StoreTest, MigratesOlderSchemaOnlyWhenWriting) {
  execute(file(), fmt::format("PRAGMA application_id = {}", kApplicationId));
  EXPECT_THAT(openError(Store::Mode::read).message, HasSubstr("older schema version 0"));
  EXPECT_TRUE(writer().addRun({}));
  EXPECT_EQ(reader().listRuns(1).value().size(), 1u);
}

TEST_F(StoreTest, RunsMigrationsInOrderAndKeepsData) {
  SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::vector<std::string_view> steps = {"CREATE TABLE t (a); INSERT INTO t VALUES (1)",
                                               "ALTER TABLE t ADD b DEFAULT 5",
                                               "UPDATE t SET b = b + 1"};
  ASSERT_TRUE(migrate(database, file(), std::span(steps).first(1)));
  EXPECT_EQ(schemaVersion(database), 1);
  ASSERT_TRUE(migrate(database, file(), steps));
  ASSERT_TRUE(migrate(database, file(), steps));
  EXPECT_EQ(schemaVersion(database), 3);
  EXPECT_EQ(database.execAndGet("SELECT a + b FROM t").getInt(), 7);
  EXPECT_FALSE(migrate(database, file(), std::span(steps).first(2)));
}

TEST_F(StoreTest, AssignsOldSamplesToMachineOfRun) {
  {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    ASSERT_TRUE(migrate(database, file(), migrations().first(1)));
    database.exec(
        "INSERT INTO runs VALUES (1, '', '', '[]', '', 'finished', '', '', '', '', '', '', '', '', "
        "1, '{}', '{}'); INSERT INTO trials VALUES (1, 1, 'k', '', '{}', 'ok', '', '', 0, 0, '{}', "
        "''); INSERT INTO samples VALUES (1, 'final', 0, 0, 0, 1.5, 1, 1)");
  }
  const Store store = writer();
  ASSERT_EQ(store.samples(1)->size(), 1u);
  EXPECT_EQ(store.samples(1)->front().node, 0);
  EXPECT_EQ(store.samples(1)->front().sample.wallNs, 1.5);
  EXPECT_TRUE(store.nodes()->empty());
}

TEST_F(StoreTest, FailedMigrationKeepsPreviousVersion) {
  SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::vector<std::string_view> steps = {"CREATE TABLE t (a)",
                                               "CREATE TABLE u (a); CREATE TABLE t (a)"};
  EXPECT_THROW(static_cast<void>(migrate(database, file(), steps)), SQLite::Exception);
  EXPECT_EQ(schemaVersion(database), 1);
  EXPECT_FALSE(database.tableExists("u"));
}

// Properties. Text inside JSON must be UTF-8; other text may contain any bytes.

rc::Gen<std::string> anyUtf8() {
  const auto piece = rc::gen::element<std::string>("a", "Z", "7", "'", "\"", "\\", "\n", " ", "é",
                                                   "日", "😀", std::string("\0", 1), "\x7f", "");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& parts) { return join(parts, ""); });
}

rc::Gen<json> anyDetails() {
  return rc::gen::map(
      rc::gen::tuple(anyUtf8(), rc::gen::arbitrary<std::int64_t>(), rc::gen::arbitrary<double>()),
      [](const std::tuple<std::string, std::int64_t, double>& parts) {
        return json{{"text", std::get<0>(parts)},
                    {std::get<0>(parts), std::get<1>(parts)},
                    {"list", {std::get<2>(parts), nullptr, true}}};
      });
}

Run anyRun() {
  const auto text = rc::gen::arbitrary<std::string>();
  Run run;
  run.key = *text;
  run.command = *text;
  run.arguments = *rc::gen::container<std::vector<std::string>>(anyUtf8());
  run.workingFolder = *text;
  run.status = *rc::gen::element(RunStatus::running, RunStatus::finished, RunStatus::failed);
  run.startedAt = *text;
  run.finishedAt = *text;
  run.honeVersion = *text;
  run.compilerRevision = *text;
  run.host = *text;
  run.cpu = *text;
  run.target = *text;
  run.device = *text;
  run.seed = *rc::gen::arbitrary<std::uint64_t>();
  run.details = model::runDetailsFrom(*anyDetails());
  run.summary = (*anyDetails()).dump();
  return run;
}

Trial anyTrial() {
  const auto text = rc::gen::arbitrary<std::string>();
  Trial trial;
  trial.key = *text;
  trial.problem = *text;
  trial.config.name = *anyUtf8();
  trial.config.flags = *rc::gen::container<std::vector<std::string>>(anyUtf8());
  if (*rc::gen::arbitrary<bool>()) {
    trial.config.attributes.push_back({*anyUtf8(), *anyUtf8(), *anyUtf8(), *anyUtf8()});
  }
  trial.outcome = static_cast<Outcome>(*rc::gen::inRange(0, 8));
  trial.message = *text;
  trial.diagnostics = *text;
  trial.artifact = *text;
  trial.compileWallNs = *rc::gen::arbitrary<std::int64_t>();
  trial.compileCpuNs = *rc::gen::arbitrary<std::int64_t>();
  trial.details = model::trialDetailsFrom(*anyDetails());
  return trial;
}

rc::Gen<Sample> anySample() {
  return rc::gen::build<Sample>(
      rc::gen::set(&Sample::stage, rc::gen::element(Stage::screen, Stage::race, Stage::final)),
      rc::gen::set(&Sample::round), rc::gen::set(&Sample::position),
      rc::gen::set(&Sample::repetition), rc::gen::set(&Sample::wallNs),
      rc::gen::set(&Sample::cpuNs), rc::gen::set(&Sample::iterations));
}

RC_GTEST_FIXTURE_PROP(StoreTest, RoundTripsAnyRunTrialAndSamples, ()) {
  auto run = anyRun();
  Trial trial = anyTrial();
  const auto place = [](const Sample& sample) {
    return std::tuple(sample.stage, sample.round, sample.position, sample.repetition);
  };
  auto samples = *rc::gen::uniqueBy<std::vector<Sample>>(anySample(), place);
  {
    Store store = writer();
    run.id = store.addRun(run).value();
    trial.run = run.id;
    trial.id = store.addTrial(run.id, trial, samples).value();
  }
  const Store store = reader();
  RC_ASSERT(store.run(run.id).value() == run);
  RC_ASSERT(store.trials(run.id).value() == std::vector{trial});
  std::ranges::sort(samples, {}, place);
  std::vector<TrialSample> expected;
  for (const Sample& sample : samples) {
    expected.push_back({trial.id, sample});
  }
  RC_ASSERT(store.samples(run.id).value() == expected);
}

RC_GTEST_PROP(CommandLine, RoundTripsThroughShellWords, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(anyUtf8());
  RC_ASSERT(shellWords(commandLine(words)) == words);
}

}  // namespace
}  // namespace hone::store
