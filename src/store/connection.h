#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "store/run_locks.h"

namespace hone::store {

/// A prepared statement in use. Reset on destruction, because an open read blocks WAL checkpoints.
class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query() { statement_.tryReset(); }

  /// Binds the values to the parameters in order.
  template <typename... Values>
  Query& bind(const Values&... values) {
    int index = 0;
    (bindOne(++index, values), ...);
    return *this;
  }
  /// Advances to the next row; returns false after the last.
  bool step() { return statement_.executeStep(); }
  /// Runs a statement that returns no rows; returns the number of changed rows.
  int execute() { return statement_.exec(); }

  [[nodiscard]] std::string text(int column) const {
    return statement_.getColumn(column).getString();
  }
  [[nodiscard]] std::int64_t integer(int column) const {
    return statement_.getColumn(column).getInt64();
  }
  [[nodiscard]] double real(int column) const { return statement_.getColumn(column).getDouble(); }

 private:
  void bindOne(int index, std::int64_t value) { statement_.bind(index, value); }
  void bindOne(int index, double value) { statement_.bind(index, value); }
  void bindOne(int index, const std::string& value) { statement_.bind(index, value); }
  void bindOne(int index, std::string_view value) { statement_.bind(index, std::string(value)); }

  SQLite::Statement& statement_;
};

/// SQLite connection of a store. Opens and checks the file, caches prepared statements, and
/// converts SQLite exceptions to errors. Writing processes take turns, one per transaction. Not
/// thread-safe.
class Connection {
 public:
  [[nodiscard]] static Result<Connection> openToRead(const std::filesystem::path& file);
  [[nodiscard]] static Result<Connection> openToWrite(const std::filesystem::path& file);

  Connection(Connection&&) noexcept = default;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  /// Runs `action`; converts SQLite exceptions to errors.
  template <typename Action>
  auto attempt(Action&& action) -> decltype(action()) {
    try {
      return action();
    } catch (const SQLite::Exception& exception) {
      return std::unexpected(toError(exception));
    }
  }
  /// Runs `action` in one transaction, which an error rolls back.
  template <typename Action>
  auto commit(Action&& action) -> decltype(action()) {
    return attempt([&]() -> decltype(action()) {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      // Converts errors before the rollback clears the system error code.
      return attempt([&]() -> decltype(action()) {
        auto result = action();
        if (result) {
          transaction.commit();
        }
        return result;
      });
    });
  }

  /// Returns the cached statement for `sql`, which must outlive the connection.
  [[nodiscard]] SQLite::Statement& prepared(std::string_view sql);
  [[nodiscard]] std::int64_t lastId() const { return database_->getLastInsertRowid(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Returns the locks of the runs; null for a connection that only reads.
  [[nodiscard]] const RunLocks* locks() const { return locks_ ? &*locks_ : nullptr; }

 private:
  explicit Connection(const std::filesystem::path& file);
  [[nodiscard]] Error toError(const SQLite::Exception& exception) const;
  /// Creates the store if it is missing, opens it and updates its schema.
  [[nodiscard]] Result<void> prepareToWrite();
  [[nodiscard]] Result<void> create();
  [[nodiscard]] Result<void> checkHeader() const;
  void connect(const std::string& name, int flags);
  [[nodiscard]] Result<void> connectToRead();

  std::filesystem::path file_;
  pid_t owner_;
  std::optional<RunLocks> locks_;
  std::optional<ScratchFolder> copy_;
  std::unique_ptr<SQLite::Database> database_;
  std::map<std::string_view, SQLite::Statement> statements_;
};

}  // namespace hone::store
