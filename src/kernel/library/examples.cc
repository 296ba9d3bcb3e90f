#include "kernel/library/examples.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "cpp_source/lexer.h"
#include "kernel/library/example_file.h"
#include "kernel/source/python_tokens.h"
#include "kernel/source/source.h"

namespace hone::kernel {
namespace {

constexpr int kBusyMs = 60'000;
/// More words slow the query down without improving the matches.
constexpr std::size_t kMaxWords = 300;
constexpr const char* kColumns =
    "name, technique, language, title, text, before, after, speedup, shipped";

/// Creates missing tables. Names, languages and figures are not searchable.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS shipped (key TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS example USING fts5(
  technique, title, text, before, after,
  name UNINDEXED, language UNINDEXED, speedup UNINDEXED, shipped UNINDEXED);
)sql";

/// Returns a query that matches any word of the text. Words are quoted so that none is an operator.
std::string matchAny(std::string_view text) {
  std::set<std::string> seen;
  std::string query;
  std::string word;
  const auto finish = [&] {
    if (word.size() > 1 && seen.size() < kMaxWords && seen.insert(word).second) {
      query += fmt::format("{}\"{}\"", query.empty() ? "" : " OR ", word);
    }
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) {
      word += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    } else {
      finish();
    }
  }
  finish();
  return query;
}

Example exampleFromRow(const SQLite::Statement& row) {
  Example example;
  example.name = row.getColumn(0).getString();
  example.technique = row.getColumn(1).getString();
  example.language = row.getColumn(2).getString();
  example.title = row.getColumn(3).getString();
  example.text = row.getColumn(4).getString();
  example.before = row.getColumn(5).getString();
  example.after = row.getColumn(6).getString();
  example.speedup = row.getColumn(7).getDouble();
  example.shipped = row.getColumn(8).getInt() != 0;
  return example;
}

std::vector<Example> readRows(SQLite::Statement& statement) {
  std::vector<Example> examples;
  while (statement.executeStep()) {
    examples.push_back(exampleFromRow(statement));
  }
  return examples;
}

void put(SQLite::Database& database, const Example& example) {
  SQLite::Statement old(database, "DELETE FROM example WHERE name = ?");
  old.bind(1, example.name);
  old.exec();
  SQLite::Statement row(
      database,
      fmt::format("INSERT INTO example ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", kColumns));
  row.bind(1, example.name);
  row.bind(2, example.technique);
  row.bind(3, example.language);
  row.bind(4, example.title);
  row.bind(5, example.text);
  row.bind(6, example.before);
  row.bind(7, example.after);
  row.bind(8, example.speedup);
  row.bind(9, example.shipped ? 1 : 0);
  row.exec();
}

std::string hashExamples(const std::vector<Example>& examples) {
  Hasher hasher;
  for (const Example& one : examples) {
    hasher.field(one.name).field(one.technique).field(one.language).field(one.title);
    hasher.field(one.text).field(one.before).field(one.after);
    hasher.field(fmt::format("{}", one.speedup));
  }
  return hasher.hex();
}

/// Creates missing tables, and replaces the shipped examples if they differ from those in the
/// database. One transaction, so that processes that start together wait for each other.
void prepare(SQLite::Database& database, const std::vector<Example>& shipped) {
  const std::string content = hashExamples(shipped);
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(kSchema);
  SQLite::Statement before(database, "SELECT content FROM shipped WHERE key = 'examples'");
  const bool isCurrent = before.executeStep() && before.getColumn(0).getString() == content;
  before.reset();
  if (isCurrent) {
    transaction.commit();
    return;
  }
  database.exec("DELETE FROM example WHERE shipped = 1");
  for (Example example : shipped) {
    example.shipped = true;
    put(database, example);
  }
  SQLite::Statement stamp(database, "INSERT OR REPLACE INTO shipped VALUES ('examples', ?)");
  stamp.bind(1, content);
  stamp.exec();
  transaction.commit();
}

}  // namespace

bool changesCode(const Example& example) {
  const bool isPython = example.language == nameOf(Language::tilelang);
  const auto words = [&](const std::string& code) {
    std::vector<std::string> all;
    if (isPython) {
      for (const PythonToken& token : pythonTokens(code)) {
        all.push_back(fmt::format("{} {}", token.indent, token.text));
      }
    } else {
      for (const cpp_source::Token& token : cpp_source::lex(code).tokens) {
        all.push_back(token.text);
      }
    }
    return all;
  };
  const std::vector<std::string> before = words(example.before);
  const std::vector<std::string> after = words(example.after);
  // Texts without any code are compared as they are.
  return before.empty() && after.empty() ? example.before != example.after : before != after;
}

struct Examples::State {
  std::filesystem::path file;
  SQLite::Database database;

  /// Runs the action and converts SQLite exceptions to errors.
  template <typename Action>
  auto attempt(Action&& action) -> Result<decltype(action())> {
    try {
      return action();
    } catch (const SQLite::Exception& exception) {
      return machineError("example library {}: {}", file.string(), exception.what());
    }
  }
};

Examples::Examples(std::unique_ptr<State> state) : state_(std::move(state)) {}
Examples::Examples(Examples&&) noexcept = default;
Examples& Examples::operator=(Examples&&) noexcept = default;
Examples::~Examples() = default;

Result<Examples> Examples::open(const std::filesystem::path& file,
                                const std::filesystem::path& shippedFolder) {
  const std::vector<Example> shipped = HONE_TRY(readExamples(shippedFolder));
  HONE_CHECK(makeFolder(file.parent_path()));
  try {
    auto state = std::make_unique<State>(
        file,
        SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyMs));
    prepare(state->database, shipped);
    return Examples(std::move(state));
  } catch (const SQLite::Exception& exception) {
    return machineError("example library {}: {}", file.string(), exception.what());
  }
}

Result<std::vector<Example>> Examples::search(std::string_view query, std::string_view language,
                                              std::size_t k) const {
  const std::string words = matchAny(query);
  return state_->attempt([&] {
    // A match in the technique counts more than one in the code.
    SQLite::Statement statement(
        state_->database,
        words.empty()
            ? fmt::format("SELECT {} FROM example ORDER BY language = ? DESC, name LIMIT ?",
                          kColumns)
            : fmt::format(
                  "SELECT {} FROM example WHERE example MATCH ? ORDER BY language = ? DESC, "
                  "bm25(example, 8, 4, 2, 1, 1), name LIMIT ?",
                  kColumns));
    int index = 0;
    if (!words.empty()) {
      statement.bind(++index, words);
    }
    statement.bind(++index, std::string(language));
    statement.bind(++index, static_cast<std::int64_t>(k));
    return readRows(statement);
  });
}

Result<std::vector<Example>> Examples::list() const {
  return state_->attempt([&] {
    SQLite::Statement statement(
        state_->database,
        fmt::format("SELECT {} FROM example ORDER BY technique, language, name", kColumns));
    return readRows(statement);
  });
}

Result<void> Examples::add(const Example& example) {
  if (!changesCode(example)) {
    return userError("example {} has the same code before and after", example.name);
  }
  const auto done = state_->attempt([&] {
    SQLite::Transaction transaction(state_->database, SQLite::TransactionBehavior::IMMEDIATE);
    put(state_->database, example);
    transaction.commit();
    return true;
  });
  HONE_CHECK(done);
  return {};
}

}  // namespace hone::kernel
