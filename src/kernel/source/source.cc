#include "kernel/source/source.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "kernel/source/cpp_tokens.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

}  // namespace

std::string_view nameOf(Language language) {
  return language == Language::cpp ? "cpp" : "tilelang";
}

std::optional<Language> languageFrom(std::string_view name) {
  for (const Language language : {Language::cpp, Language::tilelang}) {
    if (nameOf(language) == name) {
      return language;
    }
  }
  return std::nullopt;
}

std::string Source::key() const {
  Hasher hasher;
  hasher.field(nameOf(language)).field(text);
  for (const std::string& flag : flags) {
    hasher.field(flag);
  }
  return hasher.hex();
}

Result<Source> readSource(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  Source source;
  if (ending == ".py") {
    source.language = Language::tilelang;
  } else if (!isOneOf(ending, {".c", ".cc", ".cpp", ".cxx"})) {
    return userError("{}: expected a kernel file .c, .cc, .cpp or .cxx, or .py for TileLang",
                     file.string());
  }
  std::error_code error;
  if (const auto size = std::filesystem::file_size(file, error); !error && size > kMaxSourceBytes) {
    return userError("{}: file too large ({} bytes, at most {})", file.string(), size,
                     kMaxSourceBytes);
  }
  source.text = HONE_TRY(readFile(file));
  if (source.text.contains('\0')) {
    return userError("{}: not a text file", file.string());
  }
  if (source.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return userError("{}: file is empty", file.string());
  }
  source.name = file.stem().string();
  if (ending == ".c") {
    source.flags = {"-xc"};
  }
  return source;
}

std::vector<std::string> readHeaderFlags(std::string_view text) {
  std::vector<std::string> flags;
  for (const std::string& line : splitAt(text, '\n')) {
    std::string_view bare = trim(line);
    if (!bare.starts_with("//") && !bare.starts_with('#')) {
      break;
    }
    bare = trim(bare.substr(bare.starts_with('#') ? 1 : 2));
    if (!bare.starts_with(kFlagsLabel)) {
      continue;
    }
    for (std::string& flag : splitAt(bare.substr(kFlagsLabel.size()), ' ')) {
      if (!flag.empty()) {
        flags.push_back(std::move(flag));
      }
    }
  }
  return flags;
}

}  // namespace hone::kernel
