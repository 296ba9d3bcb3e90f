#include "kernel/worker/cpp/cpp_build.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/progress.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using model::Outcome;
using nlohmann::json;

constexpr std::string_view kAsC = "-xc";
constexpr const char* kIncluded = ".included";
constexpr const char* kAssembled = ".assembled";

std::vector<std::string> commandFor(const std::string& compiler, const fs::path& stem,
                                    std::span<const std::string> flags) {
  const bool isC = std::ranges::find(flags, kAsC) != flags.end();
  std::vector<std::string> argv = {compiler, isC ? "-xc" : "-xc++",
                                   isC ? "-std=gnu17" : "-std=gnu++23", "-O2", "-march=native"};
  for (const std::string& flag : flags) {
    if (flag != kAsC) {
      argv.push_back(flag);
    }
  }
  // Undefined symbols are errors of the build, not of loading. Without names and build ids, sources
  // that differ only in comments give the same artifact.
  for (const std::string& own :
       {std::string("-w"), std::string("-fPIC"), std::string("-shared"), std::string("-Wl,-z,defs"),
        std::string("-Wl,--build-id=none"), std::string("-s"),
        std::string("-fdiagnostics-color=never"),
        fmt::format("-fopt-info-vec-optimized-missed={}.vec", stem.string()),
        // Record which files are read, however they are included. With -pipe the assembler has no
        // input file.
        std::string("-pipe"), std::string("-MMD"), std::string("-MF"), stem.string() + kIncluded,
        std::string("-Xassembler"), std::string("--MD"), std::string("-Xassembler"),
        stem.string() + kAssembled, std::string("-o"), fmt::format("{}.part", stem.string()),
        fmt::format("{}.cc", stem.string())}) {
    argv.push_back(own);
  }
  return argv;
}

json toJson(const CppBuilt& built) {
  return {{"outcome", nameOf(built.outcome)}, {"message", built.message},
          {"diagnostics", built.diagnostics}, {"artifact", built.artifact},
          {"wall_ns", built.wallNs},          {"cpu_ns", built.cpuNs},
          {"remarks", built.remarks},         {"files", built.files}};
}

/// Returns the cached result; nullopt if there is none or it is incomplete.
std::optional<CppBuilt> readBuilt(const fs::path& stem) {
  const auto text = readFile(stem.string() + ".json");
  const json stored = text ? json::parse(*text, nullptr, false) : json();
  CppBuilt built;
  try {
    const auto outcome = model::outcomeFrom(stored.at("outcome").get<std::string>());
    built.outcome = outcome.value_or(Outcome::compileFailed);
    built.message = stored.at("message").get<std::string>();
    built.diagnostics = stored.at("diagnostics").get<std::string>();
    built.artifact = stored.at("artifact").get<std::string>();
    built.wallNs = stored.at("wall_ns").get<std::int64_t>();
    built.cpuNs = stored.at("cpu_ns").get<std::int64_t>();
    built.remarks = stored.at("remarks").get<std::vector<std::string>>();
    built.files = stored.at("files").get<std::vector<std::string>>();
  } catch (const json::exception&) {
    return std::nullopt;
  }
  built.library = stem.string() + ".so";
  std::error_code error;
  const bool there = fs::is_regular_file(built.library, error);
  return !built.ok() || there ? std::optional(built) : std::nullopt;
}

/// Returns true if a diagnostic is about the source: "FOLDER/NAME:LINE:…".
bool isDiagnosed(std::string_view line, std::string_view fileName) {
  const std::size_t name = line.find(fileName);
  const std::size_t end = name + fileName.size();
  return name != std::string_view::npos && end < line.size() && line[end] == ':' &&
         line.find(':') == end && (name == 0 || line[name - 1] == '/');
}

/// Returns the line of the source that a diagnostic mentions.
std::optional<std::int64_t> findOwnLine(std::string_view line, std::string_view fileName) {
  const std::size_t name = line.find(fileName);
  if (name == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(name + fileName.size());
  const std::vector<std::string> parts = splitAt(rest, ':');
  if (parts.size() < 2) {
    return std::nullopt;
  }
  return parseInt(parts[1].substr(0, parts[1].find_first_not_of("0123456789")));
}

}  // namespace

Result<CppBuilder> CppBuilder::open(fs::path folder, Limits limits) {
  const std::string compiler = findProgram("g++");
  if (compiler.empty()) {
    return machineError("g++ not found in PATH; install it to build C++ kernels (apt install g++)");
  }
  HONE_CHECK(makeFolder(folder));
  const Finished finished = HONE_TRY(runCommand({{compiler, "-dumpfullversion"}, {}, limits}));
  if (!finished.ending.ok()) {
    return machineError("{} failed: {}", compiler, finished.ending.describe());
  }
  return CppBuilder(std::move(folder), limits, compiler,
                    fmt::format("{} {}", trim(finished.out), cpuName()));
}

Result<CppBuilt> CppBuilder::build(std::string_view text, std::span<const std::string> flags) {
  CppBuilt refused;
  for (const std::string& flag : flags) {
    if (const std::string why = explainRejectedFlag(flag); !why.empty()) {
      refused.outcome = Outcome::invalid;
      refused.message = why;
      return refused;
    }
  }
  Hasher hasher;
  hasher.field(version_).field(text);
  for (const std::string& flag : flags) {
    hasher.field(flag);
  }
  constexpr std::size_t kShort = 32;
  const fs::path stem = folder_ / hasher.hex().substr(0, kShort);
  if (auto known = readBuilt(stem)) {
    return *known;
  }
  CppBuilt built = HONE_TRY(compile(stem, text, flags));
  if (built.outcome != Outcome::compileTimeout) {  // it may be faster next time
    HONE_CHECK(writeFile(stem.string() + ".json", toJson(built).dump() + "\n"));
  }
  return built;
}

Result<CppBuilt> CppBuilder::compile(const fs::path& stem, std::string_view text,
                                     std::span<const std::string> flags) const {
  HONE_CHECK(writeFile(stem.string() + ".cc", text));
  Command command;
  command.argv = commandFor(compiler_, stem, flags);
  command.environment = {{"LC_ALL", "C"}};
  command.limits = limits_;
  const Activity compiling("compiling the kernel");
  const Finished finished = HONE_TRY(runCommand(command));
  CppBuilt built;
  built.diagnostics = finished.err;
  built.wallNs = finished.ending.wallNs;
  built.cpuNs = finished.ending.cpuNs;
  const fs::path part = stem.string() + ".part";
  std::error_code ignored;
  if (!finished.ending.ok()) {
    const bool late = finished.ending.how == Ending::How::timedOut;
    const std::string first = firstCompileError(finished.err, stem.filename().string() + ".cc");
    built.outcome = late ? Outcome::compileTimeout : Outcome::compileFailed;
    built.message = late || first.empty()
                        ? fmt::format("compiler failed: {}", finished.ending.describe())
                        : first;
    fs::remove(part, ignored);
    return built;
  }
  built.library = stem.string() + ".so";
  built.artifact = HONE_TRY(hashFile(part));
  if (auto info = readFile(stem.string() + ".vec")) {
    built.remarks = vectorRemarks(*info, stem.filename().string() + ".cc");
  }
  fs::remove(stem.string() + ".vec", ignored);
  const fs::path own = stem.string() + ".cc";
  for (const char* list : {kIncluded, kAssembled}) {
    const auto rule = readFile(stem.string() + list);
    if (!rule) {
      built.outcome = Outcome::invalid;
      built.message = "its flags suppress the list of files that the compiler reads";
      return built;
    }
    for (std::string& file : parseDependencies(*rule)) {
      if (file != own && file != own.filename()) {  // the assembler lists only the file name
        built.files.push_back(std::move(file));
      }
    }
    fs::remove(stem.string() + list, ignored);
  }
  fs::rename(part, built.library, ignored);
  return built;
}

std::string explainRejectedFlag(std::string_view flag) {
  constexpr auto kAllowed =
      std::to_array<std::string_view>({"-O", "-f", "-m", "-D", "-U", "-std=", "--param="});
  constexpr auto kForbidden = std::to_array<std::string_view>(
      {"-fplugin",       "-fdump",        "-fprofile",     "-ftest-coverage", "-fcompare-debug",
       "-fsanitize",     "-fstack-usage", "-fcallgraph",   "-fsave",          "-fopt-info",
       "-flto",          "-fuse-ld",      "-finstrument",  "-fdiagnostics",   "-fmodule",
       "-frecord",       "-fwpa",         "-fverbose",     "-fpch",           "-fworking",
       "-fauto-profile", "-fpre-include", "-ffile-prefix", "-fmacro-prefix",  "-fdebug",
       "-fno-pic",       "-fno-PIC",      "-m32",          "-mx32",           "-m16"});
  const auto begins = [&](std::string_view prefix) { return flag.starts_with(prefix); };
  const bool plain = std::ranges::all_of(flag, [](char c) {
    return c > ' ' && c < 0x7f && !std::string_view("\"'`$&;|<>\\").contains(c);
  });
  if (flag == kAsC) {
    return "";
  }
  if (!plain || std::ranges::none_of(kAllowed, begins) || std::ranges::any_of(kForbidden, begins)) {
    return fmt::format("flag '{}' is not allowed; use -O…, -f…, -m…, -D…, -std=… or --param=…",
                       flag);
  }
  return "";
}

std::string firstCompileError(std::string_view diagnostics, std::string_view fileName) {
  std::string undefined;
  std::string elsewhere;
  std::optional<std::int64_t> includedFrom;
  for (const std::string& line : splitAt(diagnostics, '\n')) {
    const auto own = findOwnLine(line, fileName);
    if (const std::size_t error = line.find("error:"); error != std::string::npos) {
      // FILE:LINE:COLUMN: error: …
      if (own && isDiagnosed(line, fileName)) {
        return fmt::format("line {}: {}", *own, line.substr(error));
      }
      elsewhere = "error in another file, or of the whole program";
    } else if (const std::size_t at = line.find("undefined reference to");
               at != std::string::npos && undefined.empty()) {
      undefined = fmt::format("linker error: {}", line.substr(at));
    } else if (own && !includedFrom) {
      includedFrom = own;  // "In file included from FILE:LINE" or "FILE:LINE: required from here"
    }
  }
  if (!undefined.empty() || elsewhere.empty()) {
    return undefined;
  }
  return includedFrom ? fmt::format("line {}: {}", *includedFrom, elsewhere) : elsewhere;
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
