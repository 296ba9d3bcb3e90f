#include "store/connection.h"

#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/text/text.h"
#include "store/schema.h"

namespace hone::store {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 10'000;

fs::path withSuffix(const fs::path& file, std::string_view suffix) {
  return fs::path(file.string() + std::string(suffix));
}

bool missingOrEmpty(const fs::path& file) {
  std::error_code code;
  const auto size = fs::file_size(file, code);
  return code ? !fs::exists(file, code) : size == 0;
}

/// Returns the canonical path, so that all paths of a store share one lock.
fs::path canonicalPath(const fs::path& file) {
  std::error_code code;
  const fs::path whole = fs::absolute(file, code);
  const fs::path result = fs::weakly_canonical(whole, code);
  return code ? whole : result;
}

/// Returns an SQLite URI, for options without a flag.
std::string uri(const fs::path& file, std::string_view options) {
  std::string text = "file://";
  for (const char c : file.string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || std::strchr("/._-~", c) != nullptr;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return fmt::format("{}?{}", text, options);
}

/// Removes the files of an interrupted creation.
void removeUnfinished(const fs::path& file) {
  std::error_code ignored;
  for (const std::string_view suffix : {".new", ".new-journal", ".new-wal", ".new-shm"}) {
    fs::remove(withSuffix(file, suffix), ignored);
  }
}

/// Returns the process named in the lock file, for messages. The lock itself is not the text but an
/// flock.
std::string describeHolder(const fs::path& lockFile) {
  const auto text = readFile(lockFile);
  const auto pid = text ? parseInt(trim(*text)) : std::nullopt;
  return pid ? fmt::format(" (process {})", *pid) : std::string();
}

}  // namespace

Connection::Connection(const fs::path& file) : file_(canonicalPath(file)), owner_(::getpid()) {}

Connection::~Connection() {
  if (database_ == nullptr) {
    return;  // moved from
  }
  if (owner_ != ::getpid()) {
    // In a forked child, closing would change the log and the locks of the parent.
    static_cast<void>(new decltype(statements_)(std::move(statements_)));
    static_cast<void>(database_.release());
    return;
  }
  statements_.clear();
  database_.reset();
  if (lock_) {
    lock_->note("");
  }
}

Error Connection::toError(const SQLite::Exception& exception) const {
  const int code = exception.getErrorCode() & 0xff;
  // SQLite keeps no errno for a failed commit; errno is still that of the last system call.
  const int last = errno;
  const int kept = database_ != nullptr ? sqlite3_system_errno(database_->getHandle()) : 0;
  const int system = kept != 0 ? kept : last;
  const std::string name = file_.string();
  const bool io = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
  if (code == SQLITE_FULL || (io && (system == ENOSPC || system == EDQUOT))) {
    return machineError("the disk is full: cannot write the store {}; stored data is intact", name)
        .error();
  }
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
    return userError("{} is not a hone store, or is damaged ({})", name, exception.what()).error();
  }
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return machineError("the store {} is locked by another program; stop it and try again", name)
        .error();
  }
  const std::string why = io && system != 0 ? fmt::format(": {}", std::strerror(system)) : "";
  return machineError("the store {}: {}{}", name, exception.what(), why).error();
}

Result<void> Connection::lock() {
  const fs::path lockFile = withSuffix(file_, ".lock");
  auto lock = FileLock::tryLock(lockFile);
  if (!lock && lock.error().fault == Fault::user) {
    return userError(
        "the store {} is being written by another hone{}; wait for it or use --store {}2",
        file_.string(), describeHolder(lockFile), file_.string());
  }
  if (!lock) {
    return within(fmt::format("cannot write the store {}", file_.string()),
                  std::move(lock).error());
  }
  lock_ = std::move(*lock);
  lock_->note(fmt::format("{}\n", ::getpid()));
  return {};
}

/// Creates the store in a temporary file and renames it, so readers never see one without tables.
Result<void> Connection::create() {
  const fs::path temporary = withSuffix(file_, ".new");
  std::error_code code;
  removeUnfinished(file_);
  connect(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database_->exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  HONE_CHECK(migrate(*database_, file_, migrations()));
  database_->exec("PRAGMA journal_mode = WAL");
  database_.reset();
  fs::rename(temporary, file_, code);
  if (code) {
    return machineError("cannot create the store {}: {}", file_.string(), code.message());
  }
  return {};
}

/// Checks the bytes of the header, so that SQLite never opens a file of another program.
Result<void> Connection::checkHeader() const {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kIdOffset = 68;
  std::array<char, 100> header{};
  std::error_code code;
  const fs::file_type type = fs::status(file_, code).type();
  if (type != fs::file_type::regular) {  // opening a pipe would wait for its writer
    return userError("{} is {}, not a hone store", file_.string(),
                     type == fs::file_type::directory ? "a folder" : "a pipe or a device");
  }
  std::ifstream in(file_, std::ios::binary);
  if (!in) {
    return userError("cannot read the store {}: {}", file_.string(), std::strerror(errno));
  }
  in.read(header.data(), header.size());
  if (!in || std::string_view(header.data(), kMagic.size()) != kMagic) {
    return userError("{} is not a hone store", file_.string());
  }
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < sizeof id; ++i) {
    id = id << 8 | static_cast<unsigned char>(header[kIdOffset + i]);
  }
  if (id != static_cast<std::uint32_t>(kApplicationId)) {
    return userError("{} is not a hone store but an SQLite file of another program",
                     file_.string());
  }
  return {};
}

void Connection::connect(const std::string& name, int flags) {
  database_.reset();
  // Used by one thread; reads are faster without mutexes.
  database_ = std::make_unique<SQLite::Database>(name, flags | SQLite::OPEN_NOMUTEX, kBusyMs);
}

/// Connects read-only. SQLite reads a WAL database only if it can create the -wal and -shm files.
/// In a read-only folder there is no writer: opens the file as immutable if it has no log, and
/// otherwise opens a copy of the file and its log.
Result<void> Connection::connectToRead() {
  try {
    connect(file_.string(), SQLite::OPEN_READONLY);
    static_cast<void>(schemaVersion(*database_));
    return {};
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode() & 0xff;
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) {
      throw;
    }
  }
  const fs::path log = withSuffix(file_, "-wal");
  if (missingOrEmpty(log)) {
    connect(uri(file_, "immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    return {};
  }
  copy_ = HONE_TRY(ScratchFolder::create("hone-store"));
  const fs::path copied = copy_->path() / "store.db";
  std::error_code code;
  std::error_code logCode;
  fs::copy_file(file_, copied, code);
  fs::copy_file(log, withSuffix(copied, "-wal"), logCode);
  if (code || logCode) {
    return machineError("cannot copy the store {} to read it: {}", file_.string(),
                        (code ? code : logCode).message());
  }
  connect(copied.string(), SQLite::OPEN_READONLY);
  return {};
}

Result<Connection> Connection::openToRead(const fs::path& file) {
  Connection connection(file);
  std::error_code code;
  if (!fs::exists(connection.file_, code)) {
    return userError("no store {} found", connection.file_.string());
  }
  HONE_CHECK(connection.checkHeader());
  HONE_CHECK(connection.attempt([&]() -> Result<void> {
    HONE_CHECK(connection.connectToRead());
    return checkVersion(*connection.database_, connection.file_, migrations());
  }));
  return connection;
}

Result<Connection> Connection::openToWrite(const fs::path& file) {
  Connection connection(file);
  if (!missingOrEmpty(connection.file_)) {
    HONE_CHECK(connection.checkHeader());
  }
  HONE_CHECK(makeFolder(connection.file_.parent_path()));
  HONE_CHECK(connection.lock());
  const bool isNew = missingOrEmpty(connection.file_);
  if (isNew) {
    const auto created = connection.attempt([&] { return connection.create(); });
    if (!created) {
      connection.database_.reset();
      removeUnfinished(connection.file_);
      return std::unexpected(created.error());
    }
  }
  HONE_CHECK(connection.attempt([&]() -> Result<void> {
    connection.connect(connection.file_.string(), SQLite::OPEN_READWRITE);
    SQLite::Database& database = *connection.database_;
    if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
      return machineError("the store {} is read-only; use --store to choose another",
                          connection.file_.string());
    }
    // NORMAL: commits survive the process without waiting for the disk, which takes 4 ms and would
    // disturb measurements. A power failure may lose the last commits but not corrupt the store.
    database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    return migrate(database, connection.file_, migrations());
  }));
  return connection;
}

SQLite::Statement& Connection::prepared(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    found = statements_.emplace(sql, SQLite::Statement(*database_, std::string(sql))).first;
  }
  return found->second;
}

}  // namespace hone::store
