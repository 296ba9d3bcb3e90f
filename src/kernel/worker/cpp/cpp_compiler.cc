#include "kernel/worker/cpp/cpp_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/file.h"
#include "base/process/file_rules.h"
#include "base/process/file_view.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Disk space that the compiler may fill. A kernel's library has less than a megabyte.
constexpr std::uint64_t kMaxCompilerDiskBytes = std::uint64_t{256} << 20U;

/// Where the file system of the compiler is mounted, below the folder of a build.
constexpr const char* kRootFolder = "root";

/// Returns the variables of the compiler: those that it needs to find its programs and libraries.
Variables compilerEnvironment() {
  Variables variables = {{"LC_ALL", "C"}};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      variables.emplace_back(name, value);
    }
  }
  return variables;
}

/// Returns g++ on PATH, except for links to compiler caches, which need files of the user.
std::string findCompiler() {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : splitAt(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string program = findProgram(folder + "/g++");
    std::error_code code;
    const std::string real = fs::canonical(program, code).filename().string();
    if (!program.empty() && !real.ends_with("cache") && real != "distcc") {
      return program;
    }
  }
  return "";
}

/// Returns the colon-separated value after `label` at the start of a line.
std::vector<std::string> listAfter(std::string_view text, std::string_view label) {
  for (const std::string& line : splitAt(text, '\n')) {
    if (line.starts_with(label)) {
      return splitAt(std::string_view(line).substr(label.size()), ':');
    }
  }
  return {};
}

/// Returns the lines of "#include <...> search starts here:".
std::vector<std::string> headerFoldersIn(std::string_view text) {
  std::vector<std::string> folders;
  bool inside = false;
  for (const std::string& line : splitAt(text, '\n')) {
    inside = (inside || line.starts_with("#include <")) && !line.starts_with("End of search list");
    if (inside && line.starts_with(' ')) {
      folders.emplace_back(trim(line));
    }
  }
  return folders;
}

/// Adds a place as it is named and where its links lead to. Ignores relative paths and the root.
void addPlace(const fs::path& place, std::set<fs::path>& places) {
  std::error_code code;
  const fs::path real = fs::canonical(place, code);
  if (!code && place.is_absolute() && real != real.root_path()) {
    places.insert(place);
    places.insert(real);
  }
}

/// Adds a program and, for a script, its interpreter.
void addProgram(const fs::path& program, std::set<fs::path>& places) {
  addPlace(program, places);
  const std::string text = readFile(program).value_or("");
  if (text.starts_with("#!")) {
    const std::string_view first = std::string_view(text).substr(2, text.find('\n') - 2);
    addPlace(splitAt(trim(first), ' ').front(), places);
    for (const char* folder : {"/bin", "/usr/bin"}) {  // programs that the script may call
      addPlace(folder, places);
    }
  }
}

}  // namespace

Result<CppCompiler> CppCompiler::open(Limits limits) {
  const std::string program = findCompiler();
  if (program.empty()) {
    return machineError("g++ not found in PATH; install it to build C++ kernels (apt install g++)");
  }
  limits.diskBytes = kMaxCompilerDiskBytes;
  CppCompiler compiler(program, limits);
  HONE_CHECK(compiler.findFolders());
  return compiler;
}

Result<void> CppCompiler::findFolders() {
  Command command{.argv = {program_, "-xc++", "-E", "-v", "/dev/null"},
                  .environment = compilerEnvironment(),
                  .limits = limits_};
  command.inherit = Inherit::nothing;
  const Finished finished = HONE_TRY(runCommand(command));
  if (!finished.ending.ok()) {
    return machineError("{} failed: {}", program_, finished.ending.describe());
  }
  for (const std::string& line : splitAt(finished.err, '\n')) {
    version_ = line.contains(" version ") ? line : version_;
  }
  std::set<fs::path> headers;
  for (const std::string& folder : headerFoldersIn(finished.err)) {
    addPlace(folder, headers);
  }
  headerFolders_.assign(headers.begin(), headers.end());
  readable_ = std::move(headers);
  const std::vector<std::string> programFolders = listAfter(finished.err, "COMPILER_PATH=");
  const char* loaded = std::getenv("LD_LIBRARY_PATH");
  for (const auto& folders : {programFolders, listAfter(finished.err, "LIBRARY_PATH="),
                              splitAt(loaded != nullptr ? loaded : "", ':')}) {
    for (const std::string& folder : folders) {
      addPlace(folder, readable_);
    }
  }
  for (const char* place : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
                            "/proc/cpuinfo"}) {  // -march=native reads it on some processors
    addPlace(place, readable_);
  }
  findPrograms(programFolders);
  return {};
}

void CppCompiler::findPrograms(const std::vector<std::string>& folders) {
  addProgram(program_, readable_);
  for (const char* name : {"as", "ld", "ld.bfd", "ld.gold"}) {
    addProgram(findProgram(name), readable_);
    for (const std::string& folder : folders) {
      addProgram(fs::path(folder) / name, readable_);
    }
  }
}

Result<Finished> CppCompiler::run(const std::vector<std::string>& arguments,
                                  const fs::path& folder) const {
  const FileAccess access{.readable = readable_, .writable = {folder, "/dev/null"}};
  const auto rules = FileRules::create(access);
  const FileView view(access, folder / kRootFolder);
  std::error_code ignored;
  fs::create_directory(folder / kRootFolder, ignored);
  Command command{.argv = {program_}, .environment = compilerEnvironment(), .limits = limits_};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment.emplace_back("TMPDIR", folder.string());
  command.inherit = Inherit::nothing;
  command.view = &view;
  command.rules = rules ? &*rules : nullptr;
  command.writable = {folder};
  return runCommand(command);
}

bool CppCompiler::isSystemHeader(const fs::path& file) const {
  const fs::path plain = file.lexically_normal();
  return std::ranges::any_of(headerFolders_, [&](const fs::path& folder) {
    const fs::path relative = plain.lexically_relative(folder.lexically_normal());
    return !relative.empty() && *relative.begin() != ".." && relative != ".";
  });
}

}  // namespace hone::kernel
