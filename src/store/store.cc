#include "store/store.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/clock.h"
#include "base/file.h"
#include "base/text/json.h"
#include "store/connection.h"
#include "store/rows.h"

namespace hone::store {

struct Store::State {
  explicit State(Connection opened) : connection(std::move(opened)) {}

  Connection connection;

  SQLite::Statement& prepared(std::string_view sql) { return connection.prepared(sql); }
  Result<std::int64_t> insertRun(const Run& run);
  Result<void> insertSample(std::int64_t trial, const model::Sample& sample);
  Result<std::optional<Run>> readRun(Query& query);
  /// Fails with the missing run or trial if an update changed no row.
  [[nodiscard]] Result<void> expectChanged(int changed, std::string_view kind,
                                           std::int64_t id) const;
  bool exists(std::string_view sql, std::int64_t id);
};

bool Store::State::exists(std::string_view sql, std::int64_t id) {
  return Query(prepared(sql)).bind(id).step();
}

Result<void> Store::State::expectChanged(int changed, std::string_view kind,
                                         std::int64_t id) const {
  if (changed == 0) {
    return userError("no {} {} in the store {}", kind, id, connection.file().string());
  }
  return {};
}

Result<void> Store::State::insertSample(std::int64_t trial, const model::Sample& sample) {
  try {
    Query(prepared("INSERT INTO samples (trial, stage, round, position, repetition, wall_ns, "
                   "cpu_ns, iterations) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"))
        .bind(trial, nameOf(sample.stage), sample.round, sample.position, sample.repetition,
              sample.wallNs, sample.cpuNs, sample.iterations)
        .execute();
  } catch (const SQLite::Exception& exception) {
    if (exception.getErrorCode() != SQLITE_CONSTRAINT) {
      throw;
    }
    return userError("cannot store the sample of trial {} ({} round {} position {}): {}", trial,
                     nameOf(sample.stage), sample.round, sample.position, exception.what());
  }
  return {};
}

Result<std::optional<Run>> Store::State::readRun(Query& query) {
  return connection.attempt([&]() -> Result<std::optional<Run>> {
    if (!query.step()) {
      return std::nullopt;
    }
    return HONE_TRY(runFrom(query));
  });
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& file, Mode mode) {
  if (file.empty()) {
    HONE_CHECK(defaultFile());
    return userError("no store given; use --store FILE");
  }
  auto connection = mode == Mode::read ? HONE_TRY(Connection::openToRead(file))
                                       : HONE_TRY(Connection::openToWrite(file));
  return Store(std::make_unique<State>(std::move(connection)));
}

Result<std::filesystem::path> Store::defaultFile() { return HONE_TRY(dataFolder()) / "hone.db"; }

Result<std::int64_t> Store::State::insertRun(const Run& run) {
  return connection.commit([&]() -> Result<std::int64_t> {
    Query(prepared("INSERT INTO runs (key, verb, arguments, working_folder, status, started_at, "
                   "finished_at, hone_version, compiler_revision, host, cpu, target, device, seed, "
                   "details, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .bind(run.key, run.command, jsonText(run.arguments), run.workingFolder, nameOf(run.status),
              run.startedAt, run.finishedAt, run.honeVersion, run.compilerRevision, run.host,
              run.cpu, run.target, run.device, std::bit_cast<std::int64_t>(run.seed),
              jsonText(toJson(run.details)), run.summary)
        .execute();
    return connection.lastId();
  });
}

Result<std::int64_t> Store::addRun(const Run& run) {
  const RunLocks* locks = state_->connection.locks();
  if (locks == nullptr) {
    return state_->insertRun(run);
  }
  // Between the commit and the claim, another process must not take the run for an abandoned one.
  std::int64_t id = 0;
  HONE_CHECK(locks->exclusively([&]() -> Result<void> {
    id = HONE_TRY(state_->insertRun(run));
    static_cast<void>(locks->tryClaim(id));
    return {};
  }));
  return id;
}

Result<std::optional<Run>> Store::unfinishedRun(std::string_view key) {
  static const std::string sql =
      std::string(kRunColumns) + "WHERE key = ? AND status = 'running' ORDER BY id DESC";
  std::optional<Run> found;
  const RunLocks* locks = state_->connection.locks();
  const auto search = [&]() -> Result<void> {
    Query query(state_->prepared(sql));
    query.bind(key);
    while (!found) {
      auto run = HONE_TRY(state_->readRun(query));
      if (!run) {
        break;
      }
      if (locks == nullptr || locks->tryClaim(run->id)) {
        found = std::move(run);
      }
    }
    return {};
  };
  HONE_CHECK(state_->connection.attempt(
      [&] { return locks == nullptr ? search() : locks->exclusively(search); }));
  return found;
}

bool Store::isInUse(std::int64_t run) const {
  const RunLocks* locks = state_->connection.locks();
  return locks != nullptr && locks->isClaimed(run);
}

Result<std::optional<Run>> Store::run(std::int64_t id) const {
  static const std::string sql = std::string(kRunColumns) + "WHERE id = ?";
  return state_->connection.attempt([&] {
    Query query(state_->prepared(sql));
    query.bind(id);
    return state_->readRun(query);
  });
}

Result<void> Store::setDetails(std::int64_t run, const model::RunDetails& details) {
  return state_->connection.commit([&] {
    const int changed = Query(state_->prepared("UPDATE runs SET details = ? WHERE id = ?"))
                            .bind(jsonText(toJson(details)), run)
                            .execute();
    return state_->expectChanged(changed, "run", run);
  });
}

Result<void> Store::finishRun(std::int64_t run, RunStatus status, const nlohmann::json& summary) {
  return state_->connection.commit([&] {
    const int changed =
        Query(state_->prepared(
                  "UPDATE runs SET status = ?, finished_at = ?, summary = ? WHERE id = ?"))
            .bind(nameOf(status), utcNow(), jsonText(summary), run)
            .execute();
    return state_->expectChanged(changed, "run", run);
  });
}

Result<std::optional<RunStatus>> Store::status(std::int64_t run) const {
  return state_->connection.attempt([&]() -> Result<std::optional<RunStatus>> {
    Query query(state_->prepared("SELECT status FROM runs WHERE id = ?"));
    if (!query.bind(run).step()) {
      return std::nullopt;
    }
    return HONE_TRY(statusFrom(query.text(0)));
  });
}

Result<std::optional<std::string>> Store::summary(std::int64_t run) const {
  return state_->connection.attempt([&]() -> Result<std::optional<std::string>> {
    Query query(state_->prepared("SELECT summary FROM runs WHERE id = ?"));
    if (!query.bind(run).step()) {
      return std::nullopt;
    }
    std::string summary = query.text(0);
    HONE_CHECK(parseJson(summary, fmt::format("the summary of run {}", run)));
    return summary;
  });
}

Result<std::vector<RunLine>> Store::listRuns(std::int64_t limit) const {
  return state_->connection.attempt([&]() -> Result<std::vector<RunLine>> {
    Query query(state_->prepared(
        "SELECT id, verb, started_at, status, target, device, arguments, "
        "(SELECT COUNT(*) FROM trials INDEXED BY trials_by_run WHERE run = runs.id), "
        "CASE status WHEN 'running' THEN COALESCE(json_extract(details, '$.cluster'), '') "
        "ELSE '' END FROM runs ORDER BY id DESC LIMIT ?"));
    query.bind(limit < 1 ? std::int64_t{-1} : limit);
    std::vector<RunLine> lines;
    while (query.step()) {
      lines.push_back(HONE_TRY(runLineFrom(query)));
    }
    return lines;
  });
}

Result<std::int64_t> Store::addTrial(std::int64_t run, const Trial& trial,
                                     std::span<const model::Sample> samples) {
  return state_->connection.commit([&]() -> Result<std::int64_t> {
    if (!state_->exists("SELECT 1 FROM runs WHERE id = ?", run)) {
      HONE_CHECK(state_->expectChanged(0, "run", run));
    }
    const int added =
        Query(state_->prepared(
                  "INSERT INTO trials (run, key, problem, config, outcome, message, artifact, "
                  "compile_wall_ns, compile_cpu_ns, details, diagnostics) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, key) DO NOTHING"))
            .bind(run, trial.key, trial.problem, jsonText(model::toJson(trial.config)),
                  nameOf(trial.outcome), trial.message, trial.artifact, trial.compileWallNs,
                  trial.compileCpuNs, jsonText(toJson(trial.details)), trial.diagnostics)
            .execute();
    if (added == 0) {
      return userError("run {} already has a trial with the key '{}'", run, trial.key);
    }
    const std::int64_t id = state_->connection.lastId();
    for (const model::Sample& sample : samples) {
      HONE_CHECK(state_->insertSample(id, sample));
    }
    return id;
  });
}

Result<void> Store::setOutcome(std::int64_t trial, model::Outcome outcome,
                               std::string_view message) {
  return state_->connection.commit([&] {
    const int changed =
        Query(state_->prepared("UPDATE trials SET outcome = ?, message = ? WHERE id = ?"))
            .bind(nameOf(outcome), message, trial)
            .execute();
    return state_->expectChanged(changed, "trial", trial);
  });
}

Result<void> Store::setTrialDetails(std::int64_t trial, const model::TrialDetails& details) {
  return state_->connection.commit([&] {
    const int changed = Query(state_->prepared("UPDATE trials SET details = ? WHERE id = ?"))
                            .bind(jsonText(toJson(details)), trial)
                            .execute();
    return state_->expectChanged(changed, "trial", trial);
  });
}

Result<std::vector<Trial>> Store::trials(std::int64_t run) const {
  static const std::string sql = std::string(kTrialColumns) + "WHERE run = ? ORDER BY id";
  return state_->connection.attempt([&]() -> Result<std::vector<Trial>> {
    Query query(state_->prepared(sql));
    query.bind(run);
    std::vector<Trial> all;
    while (query.step()) {
      all.push_back(HONE_TRY(trialFrom(query)));
    }
    return all;
  });
}

Result<std::vector<TrialLine>> Store::listTrials(std::int64_t run) const {
  return state_->connection.attempt([&]() -> Result<std::vector<TrialLine>> {
    Query query(state_->prepared(
        "SELECT id, key, problem, outcome, message, artifact, compile_wall_ns, "
        "CASE WHEN NOT json_valid(config) THEN key "
        "WHEN json_extract(config, '$.name') <> '' THEN json_extract(config, '$.name') "
        "WHEN json_type(config, '$.flags') IS NULL AND json_type(config, '$.attributes') IS NULL "
        "THEN 'baseline' ELSE key END "
        "FROM trials INDEXED BY trials_by_run WHERE run = ? ORDER BY id"));
    query.bind(run);
    std::vector<TrialLine> lines;
    while (query.step()) {
      lines.push_back(HONE_TRY(trialLineFrom(query)));
    }
    return lines;
  });
}

Result<void> Store::addSamples(std::span<const TrialSample> samples) {
  return state_->connection.commit([&]() -> Result<void> {
    for (const TrialSample& entry : samples) {
      HONE_CHECK(state_->insertSample(entry.trial, entry.sample));
    }
    return {};
  });
}

Result<std::vector<TrialSample>> Store::samples(std::int64_t run) const {
  auto all = HONE_TRY(state_->connection.attempt([&]() -> Result<std::vector<TrialSample>> {
    Query query(state_->prepared(
        "SELECT trial, stage, round, position, repetition, wall_ns, cpu_ns, iterations, node "
        "FROM trials INDEXED BY trials_by_run CROSS JOIN samples ON samples.trial = trials.id "
        "WHERE trials.run = ?"));
    query.bind(run);
    std::vector<TrialSample> rows;
    while (query.step()) {
      rows.push_back(HONE_TRY(sampleFrom(query)));
    }
    return rows;
  }));
  // Not sorted in SQL: stages are stored by name, and their order is not alphabetical.
  std::ranges::sort(all, {}, [](const TrialSample& entry) {
    return std::tuple(entry.sample.stage, entry.sample.round, entry.sample.position, entry.trial,
                      entry.sample.repetition);
  });
  return all;
}

Result<std::vector<std::int64_t>> Store::merge(std::int64_t run,
                                               std::span<const TrialRecord> records) {
  return state_->connection.commit([&]() -> Result<std::vector<std::int64_t>> {
    if (!state_->exists("SELECT 1 FROM runs WHERE id = ?", run)) {
      HONE_CHECK(state_->expectChanged(0, "run", run));
    }
    std::vector<std::int64_t> ids;
    for (const TrialRecord& record : records) {
      Query added(state_->prepared(
          "INSERT INTO trials (run, key, problem, config, outcome, message, artifact, "
          "compile_wall_ns, compile_cpu_ns, details, diagnostics) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET "
          "outcome = excluded.outcome, message = excluded.message, details = excluded.details "
          "RETURNING id"));
      const Trial& trial = record.trial;
      added.bind(run, trial.key, trial.problem, jsonText(model::toJson(trial.config)),
                 nameOf(trial.outcome), trial.message, trial.artifact, trial.compileWallNs,
                 trial.compileCpuNs, jsonText(toJson(trial.details)), trial.diagnostics);
      if (!added.step()) {
        return machineError("cannot store the trial '{}'", trial.key);
      }
      ids.push_back(added.integer(0));
      for (const model::Sample& sample : record.samples) {
        Query(state_->prepared("INSERT INTO samples (trial, stage, round, position, repetition, "
                               "wall_ns, cpu_ns, iterations, node) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
                               "?) ON CONFLICT DO NOTHING"))
            .bind(ids.back(), nameOf(sample.stage), sample.round, sample.position,
                  sample.repetition, sample.wallNs, sample.cpuNs, sample.iterations, record.node)
            .execute();
      }
    }
    return ids;
  });
}

Result<std::int64_t> Store::addNode(const Node& node) {
  return state_->connection.commit([&]() -> Result<std::int64_t> {
    Query(state_->prepared("INSERT INTO nodes (name, cpu, device, driver) VALUES (?, ?, ?, ?) "
                           "ON CONFLICT DO NOTHING"))
        .bind(node.name, node.cpu, node.device, node.driver)
        .execute();
    Query found(state_->prepared(
        "SELECT id FROM nodes WHERE name = ? AND cpu = ? AND device = ? AND driver = ?"));
    found.bind(node.name, node.cpu, node.device, node.driver);
    if (!found.step()) {
      return machineError("cannot store the node {}", node.name);
    }
    return found.integer(0);
  });
}

Result<std::map<std::int64_t, Node>> Store::nodes() const {
  return state_->connection.attempt([&]() -> Result<std::map<std::int64_t, Node>> {
    Query query(state_->prepared("SELECT id, name, cpu, device, driver FROM nodes"));
    std::map<std::int64_t, Node> all;
    while (query.step()) {
      all[query.integer(0)] = {query.text(1), query.text(2), query.text(3), query.text(4)};
    }
    return all;
  });
}

Result<std::int64_t> Store::dataVersion() const {
  return state_->connection.attempt([&]() -> Result<std::int64_t> {
    Query query(state_->prepared("PRAGMA data_version"));
    query.step();
    return query.integer(0);
  });
}

}  // namespace hone::store
