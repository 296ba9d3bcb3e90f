#include "app/completions/completion_tables.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace hone::app {
namespace {

/// Returns the description that a shell shows beside a word: one short line.
std::string shortDescription(const std::string& text) {
  constexpr std::size_t kWidth = 60;
  return shortened(text.substr(0, text.find('\n')), kWidth);
}

std::vector<std::string> listKeys(const std::string& path, const OptionHelp& option,
                                  std::size_t& place) {
  if (option.isArgument) {
    return {fmt::format("{} {}", path, place++)};
  }
  std::vector<std::string> keys;
  for (const std::string& name : option.names) {
    keys.push_back(fmt::format("{} {}", path, name));
  }
  return keys;
}

}  // namespace

CompletionTables CompletionTables::of(const CommandHelp& root) {
  CompletionTables tables;
  forEachCommand(root, [&](const std::string& path, const CommandHelp& command) {
    Level level{path, {}, {}};
    std::size_t place = 0;
    for (const CommandHelp& one : command.commands) {
      level.commands.emplace_back(one.name, shortDescription(one.description));
    }
    for (const OptionHelp& option : command.options) {
      if (option.isArgument && option.repeats) {
        tables.repeated.emplace_back(path, place);
      }
      for (const std::string& key : listKeys(path, option, place)) {
        if (!option.isArgument && option.kind != ValueKind::none) {
          tables.valued.push_back(key);
        }
        tables.values.push_back({key, option.kind, option.choices});
      }
      for (const std::string& name : option.names) {
        if (!option.isArgument) {
          level.options.emplace_back(name, shortDescription(option.description));
        }
      }
    }
    tables.levels.push_back(std::move(level));
  });
  return tables;
}

std::string CompletionTables::makeCase(ValueKind kind, std::string_view action) const {
  std::vector<std::string> keys;
  for (const Value& value : values) {
    if (value.kind == kind) {
      keys.push_back(value.key);
    }
  }
  return keys.empty() ? "" : fmt::format("    {}) {} ;;\n", alternatives(keys), action);
}

std::string CompletionTables::makeRepeatedCase() const {
  std::string lines;
  for (const auto& [path, place] : repeated) {
    lines += fmt::format("    '{}') ((at > {})) && at={} ;;\n", path, place, place);
  }
  return lines;
}

std::string CompletionTables::commands() const {
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    paths.push_back(levels[i].path);
  }
  return alternatives(paths);
}

std::string alternatives(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += fmt::format("{}'{}'", list.empty() ? "" : "|", text);
  }
  return list;
}

}  // namespace hone::app
