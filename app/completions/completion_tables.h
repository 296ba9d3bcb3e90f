#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/command_tree.h"

namespace hone::app {

/// Lookup tables for bash and zsh. Keys are "hone runs show" for a command, "hone tune --strategy"
/// for an option value, and "hone runs show 0" for the first argument.
struct CompletionTables {
  using Described = std::vector<std::pair<std::string, std::string>>;  ///< word, description
  struct Level {
    std::string path;
    Described commands;
    Described options;
  };
  struct Value {
    std::string key;
    ValueKind kind = ValueKind::other;
    std::vector<std::string> choices;
  };
  std::vector<Level> levels;  ///< the root command first
  std::vector<Value> values;
  std::vector<std::string> valued;  ///< keys of the options that take a value
  /// Commands with a repeatable last argument, and its position.
  std::vector<std::pair<std::string, std::size_t>> repeated;

  [[nodiscard]] static CompletionTables of(const CommandHelp& root);
  /// Returns "    'a'|'b') action ;;\n" for the values of a kind; "" if there are none.
  [[nodiscard]] std::string makeCase(ValueKind kind, std::string_view action) const;
  /// Returns all commands as alternatives of a `case`.
  [[nodiscard]] std::string commands() const;
  /// Returns `case` branches for bash and zsh that set `at`, the position of an argument, back to
  /// that of the repeatable last argument.
  [[nodiscard]] std::string makeRepeatedCase() const;
};

/// Returns the texts, quoted, as alternatives of a shell's `case`.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& texts);

}  // namespace hone::app
