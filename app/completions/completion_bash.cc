#include "app/completions/completion_bash.h"

#include <fmt/format.h>

#include "app/completions/completion_tables.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

std::string joinWords(const CompletionTables::Described& described) {
  std::vector<std::string> words;
  for (const auto& [word, description] : described) {
    words.push_back(word);
  }
  return join(words, " ");
}

std::string bashChoices(const CompletionTables& tables) {
  std::string lines;
  for (const CompletionTables::Value& value : tables.values) {
    if (value.kind == ValueKind::choice) {
      lines += fmt::format("    '{}') words='{}' ;;\n", value.key, join(value.choices, " "));
    }
  }
  return lines;
}

std::string bashLevels(const CompletionTables& tables) {
  std::string lines;
  for (const CompletionTables::Level& level : tables.levels) {
    lines += fmt::format("    '{}') commands='{}' options='{}' ;;\n", level.path,
                         joinWords(level.commands), joinWords(level.options));
  }
  return lines;
}

constexpr std::string_view kBashScript =
    R"bash(# bash completion for hone. Try it: source <(hone completions bash)
# Install it: hone completions bash > ~/.local/share/bash-completion/completions/hone

# Succeeds if the option of the command takes a value.
_hone_valued() {{
  case $1 in
    {valued}) return 0 ;;
  esac
  return 1
}}

# Sets `words` or `folders` to the possible values; fails if they are unknown.
_hone_values() {{
  case $1 in
{choices}{runs}{folders}    *) return 1 ;;
  esac
}}

# Sets `commands` and `options` of a command.
_hone_level() {{
  case $1 in
{levels}  esac
}}

_hone() {{
  local hone=$1 current=$2 path=hone option= store= place=0 words= folders= commands= options=
  local word i at offered=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ -n $option ]]; then
      [[ $word == = ]] && continue # bash splits --option=value into three words
      [[ $option == --store ]] && store=$word
      option=
      continue
    fi
    case "$path $word" in
      {commands}) path+=" $word" place=0 ;;
      *' '-*) if _hone_valued "$path $word" || _hone_valued "hone $word"; then option=$word; fi ;;
      *) place=$((place + 1)) ;;
    esac
  done
  at=$place
  case $path in
{repeated}  esac
  [[ $current == = ]] && current=
  if [[ -n $option ]]; then
    _hone_values "$path $option" || _hone_values "hone $option"
  elif [[ $current == -* ]]; then
    _hone_level hone
    words=$options
    [[ $path == hone ]] || _hone_level "$path"
    words+=" $options"
  elif ! _hone_values "$path $at"; then
    _hone_level "$path"
    [[ $place == 0 ]] && words=$commands
  fi
  if [[ -n $folders ]]; then
    compopt -o filenames 2> /dev/null # makes bash quote special characters
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    return
  fi
  # compgen -W would expand the words and run commands in them.
  read -r -d '' -a offered <<< "$words"
  mapfile -t COMPREPLY < <(
    for word in "${{offered[@]}}"; do
      [[ $word == "$current"* ]] && printf '%s\n' "$word"
    done | sort -u
  )
}}
complete -o default -F _hone hone
)bash";

}  // namespace

std::string bashCompletion(const CommandHelp& root) {
  const CompletionTables tables = CompletionTables::of(root);
  constexpr std::string_view kRuns =
      "words=$(\"$hone\" ${store:+--store \"$store\"} completions runs 2> /dev/null | cut -f 1)";
  return fmt::format(fmt::runtime(kBashScript), fmt::arg("valued", alternatives(tables.valued)),
                     fmt::arg("choices", bashChoices(tables)),
                     fmt::arg("runs", tables.makeCase(ValueKind::run, kRuns)),
                     fmt::arg("folders", tables.makeCase(ValueKind::folder, "folders=yes")),
                     fmt::arg("levels", bashLevels(tables)),
                     fmt::arg("repeated", tables.makeRepeatedCase()),
                     fmt::arg("commands", tables.commands()));
}

}  // namespace hone::app
