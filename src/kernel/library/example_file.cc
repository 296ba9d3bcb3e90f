#include "kernel/library/example_file.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

constexpr std::string_view kBefore = "--- before";
constexpr std::string_view kAfter = "--- after";

Result<void> setField(Example& example, std::string_view line, std::string_view where) {
  const auto colon = line.find(':');
  const std::string_view key = trim(line.substr(0, colon));
  const std::string_view value =
      colon == std::string_view::npos ? std::string_view() : trim(line.substr(colon + 1));
  if (key == "technique") {
    example.technique = value;
  } else if (key == "language") {
    example.language = value;
  } else if (key == "title") {
    example.title = value;
  } else if (key == "speedup" && parseDouble(value)) {
    example.speedup = *parseDouble(value);
  } else {
    return userError("{}: expected technique, language, title or speedup with a value, got '{}'",
                     where, line);
  }
  return {};
}

std::string withoutEmptyEnds(std::string_view text) {
  const auto first = text.find_first_not_of("\r\n");
  const auto last = text.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last + 1 - first));
}

Result<Example> complete(Example example) {
  for (std::string* part : {&example.text, &example.before, &example.after}) {
    *part = withoutEmptyEnds(*part);
  }
  example.before += example.before.empty() ? "" : "\n";
  example.after += example.after.empty() ? "" : "\n";
  const auto missing = [&](std::string_view what) {
    return userError("example {} has no {}", example.name, what);
  };
  if (example.technique.empty()) {
    return missing("line 'technique: …'");
  }
  if (example.language.empty()) {
    return missing("line 'language: …'");
  }
  if (example.title.empty()) {
    return missing("line 'title: …'");
  }
  if (example.before.empty() || example.after.empty()) {
    return missing("code below '--- before' and '--- after'");
  }
  return example;
}

}  // namespace

Result<Example> exampleFrom(std::string_view text, const std::string& name) {
  Example example;
  example.name = name;
  std::string* part = nullptr;  // null: the header lines
  int number = 0;
  for (const std::string& line : splitAt(text, '\n')) {
    ++number;
    const std::string_view bare = trim(line);
    if (bare == kBefore) {
      part = &example.before;
    } else if (bare == kAfter) {
      part = &example.after;
    } else if (part != nullptr) {
      *part += fmt::format("{}\n", line);
    } else if (bare.empty()) {
      part = &example.text;
    } else {
      HONE_CHECK(setField(example, bare, fmt::format("{}, line {}", name, number)));
    }
  }
  return complete(std::move(example));
}

Result<std::vector<Example>> readExamples(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".txt") {
      files.push_back(entry->path());
    }
  }
  if (code) {
    return userError("cannot read examples in {}: {}", folder.string(), code.message());
  }
  std::sort(files.begin(), files.end());
  std::vector<Example> examples;
  for (const auto& file : files) {
    const std::string text = HONE_TRY(readFile(file));
    auto example = exampleFrom(text, file.stem().string());
    if (!example) {
      return within(file.string(), std::move(example).error());
    }
    examples.push_back(std::move(*example));
  }
  return examples;
}

}  // namespace hone::kernel
