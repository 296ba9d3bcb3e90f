#include "split/sweep/rebuild.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/progress.h"

namespace hone::split {
namespace {

namespace fs = std::filesystem;

fs::path backupPath(const fs::path& file) { return file.string() + ".hone-backup"; }
fs::path lockPath(const fs::path& file) { return file.string() + ".hone-lock"; }

/// Returns the last line of a text that hone wrote. It tells the user what the text is, and its
/// hash tells hone whether the text was changed since.
std::string lastLine(const fs::path& file, std::string_view text) {
  return fmt::format("// hone: temporary edit for a measurement; the original is {}. {}\n",
                     backupPath(file).filename().string(), hashBytes(text));
}

std::string marked(const fs::path& file, std::string_view text) {
  std::string out(text);
  if (!out.ends_with('\n')) {
    out += '\n';
  }
  return out + lastLine(file, out);
}

bool isUnchangedSince(const fs::path& file, std::string_view text) {
  const std::size_t line = text.rfind("// hone: ");
  return line != std::string_view::npos &&
         text.substr(line) == lastLine(file, text.substr(0, line));
}

/// Resolves symbolic links: a rename would replace a link by a file.
Result<fs::path> realPath(const fs::path& file) {
  std::error_code code;
  fs::path real = fs::canonical(file, code);
  if (code) {
    // A process killed between two steps may leave only the backup.
    real = fs::weakly_canonical(file, code);
    if (code || !fs::exists(backupPath(real), code)) {
      return userError("source not found: {}", file.string());
    }
  }
  return real;
}

Result<FileLock> lock(const fs::path& file) {
  auto taken = FileLock::tryLock(lockPath(file));
  if (!taken && taken.error().fault == Fault::user) {
    return userError("{} is locked by another hone process; wait until it ends", file.string());
  }
  return taken;
}

std::unexpected<Error> changedByOthers(const fs::path& file) {
  return userError(
      "{} was changed while hone was editing it and is not restored; compare it with {}, if that "
      "exists, and remove the backup",
      file.string(), backupPath(file).string());
}

/// Restores the backup if the file still has hone's text. The modification time is set to now, so
/// that the build notices the change.
Result<void> restoreBackup(const fs::path& file) {
  const fs::path backup = backupPath(file);
  std::error_code code;
  if (fs::exists(file, code)) {
    const std::string now = HONE_TRY(readFile(file));
    if (now == HONE_TRY(readFile(backup))) {
      fs::remove(backup, code);
      return {};
    }
    if (!isUnchangedSince(file, now)) {
      return changedByOthers(file);
    }
  }
  fs::last_write_time(backup, fs::file_time_type::clock::now(), code);
  if (!code) {
    fs::rename(backup, file, code);
  }
  if (code) {
    return machineError("cannot move {} to {}: {}", backup.string(), file.string(), code.message());
  }
  return {};
}

/// Restores a file that a killed process left edited; the lock must be held. Returns a notice, or
/// "".
Result<std::string> restoreLocked(const fs::path& file) {
  std::error_code code;
  if (!fs::exists(backupPath(file), code)) {
    return "";
  }
  HONE_CHECK(restoreBackup(file));
  return fmt::format("restored {} after a killed hone process; rebuild the compiler",
                     file.string());
}

/// Writes the file with the permissions of the source. Sets the modification time explicitly: the
/// kernel's clock is coarse, and the file must be newer than what was built a moment before.
Result<void> writeLike(const fs::path& source, const fs::path& file, std::string_view text) {
  std::error_code code;
  const fs::perms permissions = fs::status(source, code).permissions();
  HONE_CHECK(writeFile(file, text));
  fs::permissions(file, permissions, code);
  if (!code) {
    fs::last_write_time(file, fs::file_time_type::clock::now(), code);
  }
  if (code) {
    return machineError("cannot set permissions and modification time of {}: {}", file.string(),
                        code.message());
  }
  return {};
}

/// Returns the last `count` lines of a text.
std::string_view lastLines(std::string_view text, int count) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::size_t begin = text.size();
  for (; count > 0 && begin != std::string_view::npos && begin > 0; --count) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == std::string_view::npos ? text : text.substr(begin == 0 ? 0 : begin + 1);
}

}  // namespace

SourceGuard::SourceGuard(fs::path file, FileLock lock, std::string original, std::string notice)
    : file_(std::move(file)),
      lock_(std::move(lock)),
      original_(std::move(original)),
      notice_(std::move(notice)) {}

SourceGuard::SourceGuard(SourceGuard&& other) noexcept
    : file_(std::exchange(other.file_, {})),
      lock_(std::move(other.lock_)),
      original_(std::move(other.original_)),
      notice_(std::move(other.notice_)) {}

SourceGuard::~SourceGuard() {
  if (file_.empty()) {
    return;
  }
  try {
    if (const auto restored = restore(); !restored) {
      fmt::print(stderr, "hone: {}\n", restored.error().message);
    }
    std::error_code ignored;
    fs::remove(lockPath(file_), ignored);
  } catch (const std::exception&) {  // out of memory: the next hone process restores it
    std::fputs("hone: cannot restore an edited source\n", stderr);
  }
}

Result<SourceGuard> SourceGuard::take(const fs::path& file) {
  fs::path real = HONE_TRY(realPath(file));
  FileLock held = HONE_TRY(lock(real));
  std::string notice = HONE_TRY(restoreLocked(real));
  std::string original = HONE_TRY(readFile(real));
  return SourceGuard(std::move(real), std::move(held), std::move(original), std::move(notice));
}

Result<void> SourceGuard::write(std::string_view text) {
  const std::string now = HONE_TRY(readFile(file_));
  if (now != original_ && !isUnchangedSince(file_, now)) {
    return changedByOthers(file_);
  }
  std::error_code code;
  if (!fs::exists(backupPath(file_), code)) {
    HONE_CHECK(writeLike(file_, backupPath(file_), original_));
  }
  return writeLike(backupPath(file_), file_, marked(file_, text));
}

Result<void> SourceGuard::restore() {
  std::error_code code;
  if (!fs::exists(backupPath(file_), code)) {
    return {};
  }
  return restoreBackup(file_);
}

Result<std::optional<std::string>> restoreLeftover(const fs::path& file) {
  const fs::path real = HONE_TRY(realPath(file));
  std::error_code code;
  if (!fs::exists(backupPath(real), code)) {
    return std::nullopt;
  }
  const FileLock held = HONE_TRY(lock(real));
  const auto notice = restoreLocked(real);
  fs::remove(lockPath(real), code);
  if (!notice) {
    return std::unexpected(notice.error());
  }
  return notice->empty() ? std::nullopt : std::optional(*notice);
}

Result<std::string> buildCompiler(const Build& build) {
  std::error_code code;
  if (!fs::is_directory(build.folder, code)) {
    return userError("build folder not found: {}", build.folder.string());
  }
  // Processes of the build survive if hone is killed; the loop kills them.
  constexpr const char* kScript =
      "exec 2>&1; cd \"$0\" && { "
      "(while kill -0 \"$2\" 2>/dev/null; do sleep 1; done; kill -KILL 0) & eval \"$1\"; }";
  const Activity building("building the compiler");
  const Finished finished = HONE_TRY(
      runCommand({.argv = {"/bin/sh", "-c", kScript, fs::absolute(build.folder, code).string(),
                           build.command, std::to_string(::getpid())},
                  .environment = {},
                  .limits = build.limits}));
  if (!build.log.empty()) {
    HONE_CHECK(writeFile(build.log, finished.out));
  }
  if (!finished.ending.ok()) {
    return userError(
        "build '{}' in {} failed ({}){}:\n{}", build.command, build.folder.string(),
        finished.ending.describe(),
        build.log.empty() ? "" : fmt::format(", full output in {}", build.log.string()),
        lastLines(finished.out, 10));
  }
  return finished.out;
}

}  // namespace hone::split
