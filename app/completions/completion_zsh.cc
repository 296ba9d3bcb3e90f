#include "app/completions/completion_zsh.h"

#include <fmt/format.h>

#include "app/completions/completion_tables.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

/// Quotes `text`. _describe treats the first colon as the end of the word.
std::string zshQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\'";
    }
    out += c;
  }
  return out + "'";
}

std::string describedList(const CompletionTables::Described& described) {
  std::vector<std::string> entries;
  for (const auto& [word, description] : described) {
    entries.push_back(zshQuoted(fmt::format("{}:{}", word, description)));
  }
  return join(entries, " ");
}

std::string zshChoices(const CompletionTables& tables) {
  std::string lines;
  for (const CompletionTables::Value& value : tables.values) {
    if (value.kind == ValueKind::choice) {
      lines += fmt::format("    '{}') compadd -- {} ;;\n", value.key, join(value.choices, " "));
    }
  }
  return lines;
}

std::string zshLevels(const CompletionTables& tables) {
  std::string lines;
  for (const CompletionTables::Level& level : tables.levels) {
    lines += fmt::format("    '{}')\n      commands=({})\n      options=({}) ;;\n", level.path,
                         describedList(level.commands), describedList(level.options));
  }
  return lines;
}

constexpr std::string_view kZshScript = R"zsh(#compdef hone
# zsh completion for hone. Try it: source <(hone completions zsh)
# Install it: hone completions zsh > _hone, in a folder of $fpath.

# Succeeds if the option of the command takes a value.
_hone_valued() {{
  case $1 in
    {valued}) return 0 ;;
  esac
  return 1
}}

_hone_runs() {{
  local -a runs
  local line
  for line in ${{(f)"$("$hone" ${{store:+--store}} $store completions runs 2> /dev/null)"}}; do
    runs+=("${{line/$'\t'/:}}")
  done
  _describe -V run runs
}}

# Offers the possible values; fails if they are unknown.
_hone_values() {{
  case $1 in
{choices}{runs}{folders}{files}{others}    *) return 1 ;;
  esac
  return 0
}}

# Sets `commands` and `options` of a command.
_hone_level() {{
  case $1 in
{levels}  esac
}}

_hone() {{
  local hone=$words[1] where=hone option= word
  local -a store commands options all
  integer i at place=0
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $option ]]; then
      [[ $option == --store ]] && store=($word)
      option=
      continue
    fi
    case "$where $word" in
      {commands}) where+=" $word"; place=0 ;;
      *' '-*=*) [[ $word == --store=* ]] && store=(${{word#*=}}) ;;
      *' '-*) if _hone_valued "$where $word" || _hone_valued "hone $word"; then option=$word; fi ;;
      *) (( place += 1 )) ;;
    esac
  done
  at=$place
  case $where in
{repeated}  esac
  if [[ -z $option && $words[CURRENT] == --*=* ]]; then
    option=${{words[CURRENT]%%=*}}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    _hone_values "$where $option" || _hone_values "hone $option"
  elif [[ $words[CURRENT] == -* ]]; then
    _hone_level hone
    all=($options)
    [[ $where == hone ]] || _hone_level $where
    all+=($options)
    _describe -o option all
  else
    _hone_level $where
    (( place == 0 && $#commands )) && _describe command commands
    _hone_values "$where $at"
  fi
}}
if [[ $funcstack[1] == _hone ]]; then
  _hone "$@"
else
  compdef _hone hone
fi
)zsh";

}  // namespace

std::string zshCompletion(const CommandHelp& root) {
  const CompletionTables tables = CompletionTables::of(root);
  return fmt::format(fmt::runtime(kZshScript), fmt::arg("valued", alternatives(tables.valued)),
                     fmt::arg("choices", zshChoices(tables)),
                     fmt::arg("runs", tables.makeCase(ValueKind::run, "_hone_runs")),
                     fmt::arg("folders", tables.makeCase(ValueKind::folder, "_files -/")),
                     fmt::arg("files", tables.makeCase(ValueKind::file, "_files")),
                     fmt::arg("others", tables.makeCase(ValueKind::other, "_message value")),
                     fmt::arg("levels", zshLevels(tables)),
                     fmt::arg("repeated", tables.makeRepeatedCase()),
                     fmt::arg("commands", tables.commands()));
}

}  // namespace hone::app
