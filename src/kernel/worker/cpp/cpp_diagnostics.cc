#include "kernel/worker/cpp/cpp_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

constexpr std::string_view kAssemblerInput = "{standard input}:";
constexpr std::string_view kUndefined = "undefined reference to `";
constexpr std::string_view kRequired = "required from ";

/// A message "FILE:LINE:COLUMN: text" of the compiler.
struct Message {
  std::string file;
  std::int64_t line = 0;
  std::string text;  ///< after the position: "error: …"
};

/// Splits a message; returns nullopt for lines without a position.
std::optional<Message> parseMessage(std::string_view line) {
  const std::size_t file = line.find(':');
  const std::size_t number = line.find(':', file + 1);
  if (file == 0 || number == std::string_view::npos) {
    return std::nullopt;
  }
  const auto at = parseInt(line.substr(file + 1, number - file - 1));
  if (!at) {
    return std::nullopt;
  }
  std::string_view text = line.substr(number + 1);
  if (const std::size_t column = text.find(':');
      column != std::string_view::npos && parseInt(text.substr(0, column))) {
    text.remove_prefix(column + 1);
  }
  return Message{std::string(line.substr(0, file)), *at, std::string(trim(text))};
}

bool isKernelFile(std::string_view file) {
  return file == kKernelFile || file.ends_with(fmt::format("/{}", kKernelFile));
}

/// Makes a denied file look like a missing one; otherwise a kernel could find out which files
/// exist.
std::string hideDenied(std::string text) {
  constexpr std::string_view kDenied = ": Permission denied";
  if (text.starts_with("fatal error: ") && text.ends_with(kDenied)) {
    text.replace(text.size() - kDenied.size(), kDenied.size(), ": No such file or directory");
  }
  return text;
}

/// Returns the line as the kernel's author may see it; "" if it must be dropped.
std::string filterLine(std::string_view line, const CppCompiler& compiler) {
  if (const std::size_t undefined = line.find(kUndefined); undefined != std::string_view::npos) {
    return fmt::format("linker error: {}", line.substr(undefined));
  }
  if (line.starts_with(kAssemblerInput)) {
    return std::string(line);
  }
  for (const std::string_view program : {"g++: ", "cc1plus: ", "cc1: "}) {
    if (line.starts_with(program)) {
      return std::string(line);
    }
  }
  const auto message = parseMessage(line);
  if (!message) {
    return "";
  }
  if (isKernelFile(message->file)) {
    return fmt::format("{}:{}: {}", kKernelFile, message->line, hideDenied(message->text));
  }
  return compiler.isSystemHeader(message->file)
             ? fmt::format("{}:{}: {}", message->file, message->line, message->text)
             : "";
}

}  // namespace

std::string toUtf8(std::string_view text) {
  using nlohmann::json;
  const std::string valid = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(valid).get<std::string>();
}

std::string filterDiagnostics(std::string_view text, const CppCompiler& compiler) {
  std::string kept;
  for (const std::string& line : splitAt(text, '\n')) {
    if (const std::string own = filterLine(line, compiler); !own.empty()) {
      kept += own + "\n";
    }
  }
  return toUtf8(kept);
}

std::string firstCompileError(std::string_view diagnostics) {
  std::int64_t required = 0;  // last line of the kernel that required an instantiation
  for (const std::string& line : splitAt(diagnostics, '\n')) {
    const auto message = parseMessage(line);
    if (message && isKernelFile(message->file) && message->text.contains(kRequired)) {
      required = message->line;
    }
    const std::size_t error = line.find("rror: ");  // of the assembler: "Error: "
    if (error == std::string::npos || error == 0) {
      continue;
    }
    if (!message || line.starts_with(kAssemblerInput)) {
      return line.starts_with("linker error: ") ? line : line.substr(error - 1);
    }
    if (isKernelFile(message->file)) {
      return fmt::format("line {}: {}", message->line, message->text);
    }
    const std::string where = message->file.substr(message->file.rfind('/') + 1);
    return required > 0 ? fmt::format("line {}: {} (in {})", required, message->text, where)
                        : fmt::format("{} (in {})", message->text, where);
  }
  return "";
}

std::vector<std::string> parseDependencies(std::string_view rule) {
  std::vector<std::string> files;
  std::string file;
  const auto end = [&] {
    if (!file.empty()) {
      files.push_back(std::exchange(file, {}));
    }
  };
  rule.remove_prefix(std::min(rule.find(": "), rule.size()));
  rule.remove_prefix(std::min<std::size_t>(rule.size(), 1));
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : ' ';
    const bool escapes =
        rule[i] == '\\' ? next == ' ' || next == '#' : rule[i] == '$' && next == '$';
    if (escapes) {
      file += rule[++i];
    } else if (rule[i] == ' ' || rule[i] == '\n' || (rule[i] == '\\' && next == '\n')) {
      end();
    } else {
      file += rule[i];
    }
  }
  end();
  return files;
}

std::vector<std::string> vectorRemarks(std::string_view info, std::string_view fileName) {
  constexpr std::size_t kMaxRemarks = 30;
  std::vector<std::string> done;
  std::vector<std::string> missed;
  const auto add = [](std::vector<std::string>& list, std::string remark) {
    if (std::ranges::find(list, remark) == list.end()) {
      list.push_back(std::move(remark));
    }
  };
  for (const std::string& line : splitAt(info, '\n')) {
    const std::vector<std::string> parts = splitAt(line, ':');
    const bool own = parts.size() > 4 && parts[0].ends_with(fileName);
    const auto number = own ? parseInt(parts[1]) : std::nullopt;
    if (!number) {
      continue;
    }
    const std::string text(trim(line.substr(line.find(parts[3]) + parts[3].size() + 1)));
    if (trim(parts[3]) == "optimized") {
      add(done, fmt::format("line {}: {}", *number, text));
    } else if (text.starts_with("couldn't vectorize loop") || text.starts_with("not vectorized")) {
      add(missed, fmt::format("line {}: {}", *number, text));
    }
  }
  done.insert(done.end(), missed.begin(), missed.end());
  done.resize(std::min(done.size(), kMaxRemarks));
  return done;
}

}  // namespace hone::kernel
