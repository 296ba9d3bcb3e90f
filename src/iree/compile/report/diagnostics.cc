#include "iree/compile/report/diagnostics.h"

#include <re2/re2.h>

#include <array>

#include "base/text/text.h"
#include "iree/compile/server/compile_child.h"

namespace hone::iree {
namespace {

constexpr std::size_t kLineWidth = 240;

bool contains(std::string_view text, std::string_view part) { return text.contains(part); }

bool ranOutOfMemory(std::string_view log) {
  return contains(log, "out of memory") || contains(log, "bad_alloc") ||
         contains(log, "Cannot allocate memory");
}

/// Turns "/folder/file.mlir:5:8: error: what" into "what (at file.mlir:5:8)".
std::string moveLocationLast(const std::string& line) {
  static const RE2 kLocated(R"((?:.*/)?([^/]+:\d+:\d+): error: (.*))", RE2::Latin1);
  std::string place;
  std::string message;
  if (RE2::FullMatch(line, kLocated, &place, &message)) {
    return fmt::format("{} (at {})", message, place);
  }
  static const RE2 kPrefix(R"(^(<unknown>:0: )?(error: )?(Error parsing flags:\s*)?)", RE2::Latin1);
  std::string text = line;
  RE2::Replace(&text, kPrefix, "");
  static const RE2 kUnknownOption(R"(^option not found: -*)", RE2::Latin1);
  RE2::Replace(&text, kUnknownOption, "the compiler has no option --");
  return text;
}

}  // namespace

CompileReport::Status classifyEnding(const Ending& ending, std::string_view log) {
  using Status = CompileReport::Status;
  if (ending.ok()) {
    return Status::ok;
  }
  if (ending.how == Ending::How::timedOut) {
    return Status::timedOut;
  }
  if (ranOutOfMemory(log)) {
    return Status::outOfMemory;
  }
  if (ending.how == Ending::How::exited) {
    switch (ending.code) {
      case kExitBadFlag:
        return Status::badFlag;
      case kExitBadSource:
        return Status::badSource;
      case kExitNoMatch:
        return Status::noMatch;
      case kExitNoVariants:
        return Status::noVariants;
      default:
        break;
    }
  }
  return Status::failed;
}

std::string shortDiagnostics(CompileReport::Status status, const Ending& ending,
                             std::string_view log, const Limits& limits) {
  using Status = CompileReport::Status;
  if (status == Status::timedOut) {
    return fmt::format("the compiler was stopped after {}",
                       humanTime(static_cast<double>(ending.wallNs)));
  }
  if (status == Status::outOfMemory) {
    return fmt::format("the compiler needs more memory than its limit of {:.1f} GiB",
                       static_cast<double>(limits.memoryBytes) / (1ULL << 30U));
  }
  if (ending.wroteTooMuch()) {
    return fmt::format("the compiler wrote more than its limit of {:.1f} GiB",
                       static_cast<double>(limits.diskBytes) / (1ULL << 30U));
  }
  std::string line = firstError(log);
  if (ending.how == Ending::How::signalled) {
    return line.empty() ? fmt::format("the compiler was {}", ending.describe())
                        : fmt::format("the compiler was {}: {}", ending.describe(), line);
  }
  return line.empty() ? fmt::format("the compiler failed ({})", ending.describe()) : line;
}

bool diskWasFull(std::string_view log) {
  return contains(log, "No space left on device") || contains(log, "Disk quota exceeded") ||
         contains(log, "possibly out of disk space");
}

std::string firstError(std::string_view log) {
  constexpr std::array<std::string_view, 4> kMarks = {"error:", "LLVM ERROR:", "Assertion",
                                                      "terminate called"};
  for (const std::string& line : splitAt(log, '\n')) {
    for (const std::string_view mark : kMarks) {
      if (!contains(line, mark)) {
        continue;
      }
      return shortened(moveLocationLast(std::string(trim(line))), kLineWidth);
    }
  }
  // The runtime's tools print "file.c:123: CODE; what; while …": keep two parts after the location.
  static const RE2 kStatus(R"([\w./-]+\.(?:c|cc|h|inl):\d+: ([A-Z_]+); ([^;\n]*(?:;[^;\n]*)?))",
                           RE2::Latin1);
  std::string code;
  std::string what;
  if (RE2::PartialMatch(log, kStatus, &code, &what)) {
    return shortened(fmt::format("{}: {}", code, what), kLineWidth);
  }
  for (const std::string& line : splitAt(log, '\n')) {
    if (!trim(line).empty()) {
      return shortened(trim(line), kLineWidth);
    }
  }
  return "";
}

}  // namespace hone::iree
