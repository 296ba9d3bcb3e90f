#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/command_tree.h"

namespace hone::app {

/// The commands as bash and zsh look them up: by "hone runs show", by "hone tune --strategy" for
/// the value of an option, by "hone runs show 0" for the first argument.
struct CompletionTables {
  using Described = std::vector<std::pair<std::string, std::string>>;  ///< a word, what it is
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
  std::vector<Level> levels;  ///< the program itself first
  std::vector<Value> values;
  std::vector<std::string> valued;  ///< keys of the options that take a value
  /// Commands whose last argument may come again, and its place.
  std::vector<std::pair<std::string, std::size_t>> repeated;

  [[nodiscard]] static CompletionTables of(const CommandHelp& root);
  /// "    'a'|'b') action ;;\n" for the values of a kind; nothing where there are none.
  [[nodiscard]] std::string caseOf(ValueKind kind, std::string_view action) const;
  /// All commands as alternatives of a `case`.
  [[nodiscard]] std::string commands() const;
  /// Cases for bash and zsh that take `at`, the place of an argument, back to one that repeats.
  [[nodiscard]] std::string caseOfRepeated() const;
};

/// The texts as alternatives of a shell's `case`, each in quotes.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& texts);

}  // namespace hone::app
