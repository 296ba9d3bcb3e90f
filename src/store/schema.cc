#include "store/schema.h"

#include <SQLiteCpp/Transaction.h>

#include <array>

namespace hone::store {
namespace {

// Version 1. Samples are the bulk: their key is the table itself, without a row id and an index.
// trials_by_run keeps the order of adding, which UNIQUE(run, key) does not, and counts quickly.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  verb TEXT NOT NULL,
  arguments TEXT NOT NULL,
  working_folder TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT NOT NULL,
  hone_version TEXT NOT NULL,
  compiler_revision TEXT NOT NULL,
  host TEXT NOT NULL,
  cpu TEXT NOT NULL,
  target TEXT NOT NULL,
  device TEXT NOT NULL,
  seed INTEGER NOT NULL,
  details TEXT NOT NULL,
  summary TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_key ON runs (key, status);

CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  key TEXT NOT NULL,
  problem TEXT NOT NULL,
  config TEXT NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  artifact TEXT NOT NULL,
  compile_wall_ns INTEGER NOT NULL,
  compile_cpu_ns INTEGER NOT NULL,
  details TEXT NOT NULL,
  diagnostics TEXT NOT NULL,
  UNIQUE (run, key)
) STRICT;
CREATE INDEX trials_by_run ON trials (run);

CREATE TABLE samples (
  trial INTEGER NOT NULL REFERENCES trials (id),
  stage TEXT NOT NULL,
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  wall_ns REAL NOT NULL,
  cpu_ns REAL NOT NULL,
  iterations INTEGER NOT NULL,
  PRIMARY KEY (trial, stage, round, position, repetition)
) STRICT, WITHOUT ROWID;
)sql";

// Version 2. Where samples of a cluster were taken; 0 is the machine of the run. No REFERENCES: a
// column added with a default cannot have one.
constexpr std::string_view kNodes = R"sql(
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  cpu TEXT NOT NULL,
  device TEXT NOT NULL,
  driver TEXT NOT NULL,
  UNIQUE (name, cpu, device, driver)
) STRICT;
ALTER TABLE samples ADD COLUMN node INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr std::array kMigrations = {kFirst, kNodes};

std::unexpected<Error> newerSchema(const std::filesystem::path& file, std::int64_t version,
                                   std::size_t known) {
  return userError(
      "the store {} has schema version {}, and this hone knows only up to {}; use the newer hone "
      "that wrote it, or another --store",
      file.string(), version, known);
}

}  // namespace

std::span<const std::string_view> migrations() { return kMigrations; }

std::int64_t schemaVersion(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt64();
}

Result<void> migrate(SQLite::Database& database, const std::filesystem::path& file,
                     std::span<const std::string_view> steps) {
  const std::int64_t version = schemaVersion(database);
  const auto known = static_cast<std::int64_t>(steps.size());
  if (version < 0 || version > known) {
    return newerSchema(file, version, steps.size());
  }
  for (std::int64_t from = version; from < known; ++from) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    database.exec(std::string(steps[static_cast<std::size_t>(from)]));
    database.exec(fmt::format("PRAGMA user_version = {}", from + 1));
    transaction.commit();
  }
  return {};
}

Result<void> checkVersion(SQLite::Database& database, const std::filesystem::path& file,
                          std::span<const std::string_view> steps) {
  const std::int64_t version = schemaVersion(database);
  const auto known = static_cast<std::int64_t>(steps.size());
  if (version < 0 || version > known) {
    return newerSchema(file, version, steps.size());
  }
  if (version < known) {
    return userError(
        "the store {} has the older schema version {}, and this hone reads version {}; the next "
        "command that measures brings it up",
        file.string(), version, known);
  }
  return {};
}

}  // namespace hone::store
