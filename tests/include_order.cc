#include "include_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace hone {
namespace {

namespace fs = std::filesystem;
using Folders = std::set<std::string, std::less<>>;

/// Returns the folders that each folder below src/ may include, besides itself.
std::map<std::string, Folders, std::less<>> allowedIncludes() {
  std::map<std::string, Folders, std::less<>> allowed;
  Folders above;
  for (const char* folder : {"base", "stats", "model", "cpp_source", "verify", "store", "iree/mlir",
                             "iree/module", "iree/compile", "iree/import"}) {
    allowed[folder] = above;
    above.insert(folder);
  }
  for (const char* part : {"iree/spec", "iree/run"}) {
    allowed[part] = above;
  }
  above.insert({"iree/spec", "iree/run"});
  for (const char* folder : {"engine", "search", "knobs"}) {
    allowed[folder] = above;
    above.insert(folder);
  }
  for (const char* use : {"profile", "split", "tune"}) {
    allowed[use] = above;
  }
  for (const char* part : {"kernel/source", "kernel/worker", "kernel/judge", "kernel/nest",
                           "kernel/library", "kernel/chat", "kernel/propose", "kernel/turns"}) {
    allowed[part] = above;
    above.insert(part);
  }
  allowed["cluster"] = allowed["search"];
  allowed["verify"] = {"base", "model"};
  allowed["report"] = {"base", "stats", "model", "store"};
  allowed["serve"] = {"base", "stats", "model", "store", "report"};
  return allowed;
}

/// Returns the folder of a file below src/, with its parent for parts of iree and kernel.
std::string ruleFolder(std::string_view file) {
  const std::size_t first = file.find('/');
  const bool isPart = file.starts_with("kernel/") || file.starts_with("iree/");
  return std::string(file.substr(0, isPart ? file.find('/', first + 1) : first));
}

/// Returns true for a test and for a header of tests.
bool isTest(const fs::path& file) {
  return file.stem().string().ends_with("_test") || file.filename().string().starts_with("test_");
}

/// Returns true for a test of one part of iree: it needs the compiler and may include all parts.
bool isIreeTest(const fs::path& file, std::string_view folder, std::string_view from) {
  return isTest(file) && folder.starts_with("iree/") && from.starts_with("iree/");
}

/// Returns the quoted part of an #include "…" line.
std::optional<std::string_view> quotedInclude(std::string_view line) {
  constexpr std::string_view kBlank = " \t";
  const auto skip = [&](std::size_t from) {
    return std::min(line.find_first_not_of(kBlank, from), line.size());
  };
  line.remove_prefix(skip(0));
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  line.remove_prefix(skip(1));
  constexpr std::string_view kWord = "include";
  if (!line.starts_with(kWord)) {
    return std::nullopt;
  }
  line.remove_prefix(skip(kWord.size()));
  const std::size_t end = line.find('"', 1);
  if (!line.starts_with('"') || end == std::string_view::npos) {
    return std::nullopt;
  }
  return line.substr(1, end - 1);
}

bool isSource(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cc";
}

std::vector<fs::path> sourcesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && isSource(entry.path())) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> wrongIncludes(const fs::path& root) {
  const auto allowed = allowedIncludes();
  std::vector<std::string> wrong;
  const auto check = [&](const fs::path& file, const std::string& folder, bool mayAll) {
    std::ifstream in(file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const auto include = quotedInclude(line);
      if (!include) {
        continue;
      }
      if (isTest(file) && include->starts_with("tests/")) {
        continue;
      }
      const std::string from = ruleFolder(*include);
      const bool known = allowed.contains(from) && include->contains('/');
      const bool fine = mayAll ? !include->starts_with("..")
                               : known && (from == folder || allowed.at(folder).contains(from) ||
                                           isIreeTest(file, folder, from));
      if (!fine) {
        wrong.push_back(fmt::format("{}:{}: {} may not include {}",
                                    file.lexically_relative(root).string(), number, folder,
                                    *include));
      }
    }
  };
  for (const fs::path& file : sourcesBelow(root / "src")) {
    const std::string folder = ruleFolder(file.lexically_relative(root / "src").string());
    if (allowed.contains(folder)) {
      check(file, folder, false);
    } else {
      wrong.push_back(fmt::format("{}: '{}' is not a folder of the design",
                                  file.lexically_relative(root).string(), folder));
    }
  }
  for (const fs::path& file : sourcesBelow(root / "app")) {
    check(file, "app", true);
  }
  return wrong;
}

}  // namespace hone
