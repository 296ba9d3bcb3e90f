#include "store/schema.h"

#include <SQLiteCpp/Transaction.h>

#include <array>

namespace hone::store {
namespace {

// Version 1. Samples dominate the size, so their table has no row ids besides the primary key.
// trials_by_run preserves insertion order, which UNIQUE(run, key) does not, and makes counting
// fast.
constexpr std::string_view kInitialSchema = R"sql(
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

// Version 2. The node that took a sample; 0 is the machine of the run. No REFERENCES: not allowed
// for an added column with a default.
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

constexpr std::array kMigrations = {kInitialSchema, kNodes};

std::unexpected<Error> newerSchema(const std::filesystem::path& file, std::int64_t version,
                                   std::size_t known) {
  return userError(
      "the store {} has schema version {}, but this hone supports up to {}; use the newer hone "
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
        "the store {} has the older schema version {}, but this hone reads version {}; run a "
        "command that measures to upgrade it",
        file.string(), version, known);
  }
  return {};
}

}  // namespace hone::store
