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
#include "kernel/source/canonical_cpp.h"
#include "kernel/source/preprocessed.h"
#include "kernel/worker/cpp/cpp_diagnostics.h"
#include "kernel/worker/cpp/cpp_flags.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using model::Outcome;
using nlohmann::json;

constexpr const char* kUnitFile = "kernel.ii";
constexpr const char* kFilesFile = "files";
constexpr const char* kIncludedFile = "included";
constexpr const char* kAssembledFile = "assembled";
constexpr const char* kRemarksFile = "remarks";
constexpr const char* kLibraryFile = "kernel.so";

/// Largest translation unit. The largest headers of the standard library expand to 5 MB.
constexpr std::uintmax_t kMaxUnitBytes = std::uintmax_t{16} << 20U;

bool isC(std::span<const std::string> flags) {
  return std::ranges::find(flags, kAsC) != flags.end();
}

/// Returns the flags that select the language and the optimizations.
std::vector<std::string> commonFlags(std::string language, std::span<const std::string> flags) {
  std::vector<std::string> all = {std::move(language), isC(flags) ? "-std=gnu17" : "-std=gnu++23",
                                  "-O2", "-march=native"};
  std::ranges::copy_if(flags, std::back_inserter(all),
                       [](const std::string& flag) { return flag != kAsC; });
  for (const char* own : {"-w", "-fPIC", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret",
                          "-fmessage-length=0"}) {
    all.emplace_back(own);
  }
  return all;
}

std::vector<std::string> expandCommand(const fs::path& folder, std::span<const std::string> flags) {
  std::vector<std::string> command = commonFlags(isC(flags) ? "-xc" : "-xc++", flags);
  const auto in = [&](std::string_view name) { return (folder / name).string(); };
  for (const std::string& own :
       {std::string("-E"), std::string("-dI"),
        fmt::format("-fmacro-prefix-map={}/=", folder.string()), std::string("-MMD"),
        std::string("-MF"), in(kIncludedFile), std::string("-o"), in(kUnitFile), in(kKernelFile)}) {
    command.push_back(own);
  }
  return command;
}

std::vector<std::string> compileCommand(const fs::path& folder,
                                        std::span<const std::string> flags) {
  std::vector<std::string> command =
      commonFlags(isC(flags) ? "-xcpp-output" : "-xc++-cpp-output", flags);
  const auto in = [&](std::string_view name) { return (folder / name).string(); };
  // Undefined symbols are errors of the build, not of loading. Without names and build ids, sources
  // that differ only in comments give the same artifact.
  for (const std::string& own :
       {std::string("-shared"), std::string("-Wl,-z,defs"), std::string("-Wl,--build-id=none"),
        std::string("-s"), fmt::format("-ffile-prefix-map={}/=", folder.string()),
        fmt::format("-fopt-info-vec-optimized-missed={}", in(kRemarksFile)),
        // Record which files the assembler reads. With -pipe it has no input file.
        std::string("-pipe"), std::string("-Xassembler"), std::string("--MD"),
        std::string("-Xassembler"), in(kAssembledFile), std::string("-o"), in(kLibraryFile),
        in(kUnitFile)}) {
    command.push_back(own);
  }
  return command;
}

/// Returns the reason why a flag is rejected; "" if all are allowed.
std::string explainRejectedFlags(std::span<const std::string> flags) {
  for (const std::string& flag : flags) {
    if (std::string why = explainRejectedFlag(flag); !why.empty()) {
      return why;
    }
  }
  return "";
}

/// Records the outcome of a failed compiler run.
void describeFailure(const Finished& finished, CppBuilt& built) {
  const bool late = finished.ending.how == Ending::How::timedOut;
  const std::string first = firstCompileError(built.diagnostics);
  built.outcome = late ? Outcome::compileTimeout : Outcome::compileFailed;
  built.message = late || first.empty()
                      ? fmt::format("compiler failed: {}", finished.ending.describe())
                      : first;
}

json toJson(const CppBuilt& built) {
  return {{"outcome", nameOf(built.outcome)}, {"message", built.message},
          {"diagnostics", built.diagnostics}, {"artifact", built.artifact},
          {"wall_ns", built.wallNs},          {"cpu_ns", built.cpuNs},
          {"remarks", built.remarks},         {"files", built.files}};
}

/// Returns the cached result; nullopt if there is none or it is incomplete.
std::optional<CppBuilt> readBuilt(const fs::path& folder) {
  const auto text = readFile(folder.string() + ".json");
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
  built.library = folder / kLibraryFile;
  std::error_code error;
  const bool there = fs::is_regular_file(built.library, error);
  return !built.ok() || there ? std::optional(built) : std::nullopt;
}

}  // namespace

Result<CppBuilder> CppBuilder::open(fs::path folder, Limits limits) {
  auto compiler = HONE_TRY(CppCompiler::open(limits));
  HONE_CHECK(makeFolder(folder));
  std::error_code ignored;
  folder = fs::absolute(folder, ignored);
  return CppBuilder(std::move(folder), std::move(compiler));
}

fs::path CppBuilder::folderFor(std::string_view text, std::span<const std::string> flags) const {
  Hasher hasher;
  hasher.field(compiler_.version()).field(cpuName()).field(text);
  for (const std::string& flag : flags) {
    hasher.field(flag);
  }
  constexpr std::size_t kShort = 32;
  return folder_ / hasher.hex().substr(0, kShort);
}

Result<CppPreprocessed> CppBuilder::preprocess(std::string_view text,
                                               std::span<const std::string> flags) {
  CppPreprocessed out;
  if (out.message = explainRejectedFlags(flags); !out.message.empty()) {
    out.outcome = Outcome::invalid;
    return out;
  }
  const fs::path folder = folderFor(text, flags);
  if (auto own = readFile(folder.string() + ".own")) {
    out.own = *std::move(own);
    return out;
  }
  CppBuilt result;
  HONE_CHECK(expand(folder, text, flags, result));
  out.outcome = result.outcome;
  out.message = std::move(result.message);
  out.diagnostics = std::move(result.diagnostics);
  if (out.ok()) {
    out.own = HONE_TRY(readFile(folder.string() + ".own"));
  }
  return out;
}

Result<void> CppBuilder::expand(const fs::path& folder, std::string_view text,
                                std::span<const std::string> flags, CppBuilt& result) const {
  std::error_code ignored;
  fs::remove_all(folder, ignored);  // left by an interrupted build
  HONE_CHECK(makeFolder(folder));
  HONE_CHECK(writeFile(folder / kKernelFile, canonicalCpp(text)));
  const Finished finished = HONE_TRY(compiler_.run(expandCommand(folder, flags), folder));
  result.wallNs += finished.ending.wallNs;
  result.cpuNs += finished.ending.cpuNs;
  result.diagnostics = filterDiagnostics(finished.err, compiler_);
  if (!finished.ending.ok()) {
    describeFailure(finished, result);
    return {};
  }
  if (fs::file_size(folder / kUnitFile, ignored) > kMaxUnitBytes) {
    result.outcome = Outcome::compileFailed;
    result.message = fmt::format("expands to more than {} MB of code", kMaxUnitBytes >> 20U);
    return {};
  }
  const Preprocessed parts = splitPreprocessed(HONE_TRY(readFile(folder / kUnitFile)),
                                               (folder / kKernelFile).string(), kKernelFile);
  HONE_CHECK(writeFile(folder / kUnitFile, parts.unit));
  std::string files;
  for (const std::string& file : parts.files) {
    files += compiler_.isSystemHeader(file) ? "" : file + "\n";
  }
  for (const std::string& file : parseDependencies(HONE_TRY(readFile(folder / kIncludedFile)))) {
    files += file == folder / kKernelFile ? "" : file + "\n";
  }
  HONE_CHECK(writeFile(folder / kFilesFile, files));
  return writeFile(folder.string() + ".own", parts.own);
}

Result<CppBuilt> CppBuilder::build(std::string_view text, std::span<const std::string> flags) {
  if (const std::string why = explainRejectedFlags(flags); !why.empty()) {
    CppBuilt refused;
    refused.outcome = Outcome::invalid;
    refused.message = why;
    return refused;
  }
  const fs::path folder = folderFor(text, flags);
  if (auto known = readBuilt(folder)) {
    return *known;
  }
  CppBuilt built = HONE_TRY(compile(folder, text, flags));
  if (built.outcome != Outcome::compileTimeout) {  // it may be faster next time
    HONE_CHECK(writeFile(folder.string() + ".json", toJson(built).dump() + "\n"));
  }
  return built;
}

Result<CppBuilt> CppBuilder::compile(const fs::path& folder, std::string_view text,
                                     std::span<const std::string> flags) const {
  const Activity compiling("compiling the kernel");
  CppBuilt built;
  std::error_code ignored;
  if (!fs::is_regular_file(folder / kFilesFile, ignored)) {
    HONE_CHECK(expand(folder, text, flags, built));
    if (!built.ok()) {
      return built;
    }
  }
  const Finished finished = HONE_TRY(compiler_.run(compileCommand(folder, flags), folder));
  built.diagnostics = filterDiagnostics(finished.err, compiler_);
  built.wallNs += finished.ending.wallNs;
  built.cpuNs += finished.ending.cpuNs;
  built.library = folder / kLibraryFile;
  if (!finished.ending.ok()) {
    describeFailure(finished, built);
    return built;
  }
  if (!fs::is_regular_file(built.library, ignored)) {
    built.outcome = Outcome::compileFailed;
    built.message = "the compiler wrote no library";
    return built;
  }
  built.artifact = HONE_TRY(hashFile(built.library));
  if (auto info = readFile(folder / kRemarksFile)) {
    built.remarks = vectorRemarks(toUtf8(*info), kKernelFile);
  }
  for (const std::string& file : splitAt(HONE_TRY(readFile(folder / kFilesFile)), '\n')) {
    if (!file.empty()) {
      built.files.push_back(toUtf8(file));
    }
  }
  for (const std::string& file : parseDependencies(HONE_TRY(readFile(folder / kAssembledFile)))) {
    if (file != kKernelFile && file != kUnitFile) {  // the assembler lists only the file name
      built.files.push_back(toUtf8(file));
    }
  }
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path() != built.library) {
      fs::remove_all(entry.path(), ignored);
    }
  }
  return built;
}

}  // namespace hone::kernel
