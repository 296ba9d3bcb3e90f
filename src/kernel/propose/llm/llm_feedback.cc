#include "kernel/propose/llm/llm_feedback.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using model::Outcome;

constexpr std::size_t kMaxErrorLines = 24;
constexpr std::size_t kMaxLineLength = 300;
constexpr std::size_t kMaxSummaryLength = 400;
/// Starts the judge's messages about a running kernel.
constexpr std::string_view kRunPrefix = "kernel failed: ";

/// Returns the compiler's messages about lines of the kernel, as "line 12: error: …".
std::vector<std::string> ownCompilerLines(std::string_view diagnostics) {
  static const RE2 kOwn(R"(^kernel\.cc:(\d+):(?:\d+:)? ((?:fatal )?error|note|Error): (.*)$)");
  static const RE2 kUndefined(R"(undefined reference to [`'"]([^`'"]{1,200})['"])");
  std::vector<std::string> lines;
  for (const std::string& line : splitAt(diagnostics, '\n')) {
    std::string number;
    std::string kind;
    std::string text;
    std::string said;
    if (RE2::FullMatch(line, kOwn, &number, &kind, &text)) {
      said = fmt::format("line {}: {}: {}", number, toLower(kind), shortened(text, kMaxLineLength));
    } else if (RE2::PartialMatch(line, kUndefined, &text)) {
      said = fmt::format("undefined reference to '{}'", text);
    }
    if (!said.empty() && std::ranges::find(lines, said) == lines.end() &&
        lines.size() < kMaxErrorLines) {
      lines.push_back(std::move(said));
    }
  }
  return lines;
}

std::string plainPredicate(Outcome outcome) {
  switch (outcome) {
    case Outcome::compileFailed:
      return "does not compile";
    case Outcome::compileTimeout:
      return "takes too long to compile";
    case Outcome::runTimeout:
      return "takes too long to run";
    case Outcome::mismatch:
      return "computes wrong results";
    case Outcome::invalid:
      return "breaks a rule";
    default:
      return "does not run";
  }
}

/// Returns the lines of the error, the most important first.
std::vector<std::string> errorLines(const JudgeResult& judged) {
  std::string_view message = judged.message;
  const bool ran = message.starts_with(kRunPrefix);
  if (ran) {
    message.remove_prefix(kRunPrefix.size());
  } else if (judged.outcome == Outcome::compileFailed) {
    if (auto lines = ownCompilerLines(judged.diagnostics); !lines.empty()) {
      return lines;
    }
  }
  std::vector<std::string> lines = {shortened(message, kMaxLineLength)};
  if (judged.outcome == Outcome::invalid && !ran) {
    for (const std::string& line : splitAt(trim(judged.diagnostics), '\n')) {
      // All rules that the scan found broken; other diagnostics are not of this form.
      if (line.starts_with("line ") && line != judged.message && lines.size() < kMaxErrorLines) {
        lines.push_back(line);
      }
    }
  }
  return lines;
}

}  // namespace

std::string describeFailure(const JudgedProposal& tried) {
  const std::vector<std::string> lines = errorLines(tried.judged);
  if (tried.judged.outcome == Outcome::tooSlow) {
    return fmt::format("It is correct but too slow: {}.\n", lines.front());
  }
  std::string text = fmt::format("It {} ({})", plainPredicate(tried.judged.outcome),
                                 model::nameOf(tried.judged.outcome));
  text += ":\n";
  for (const std::string& line : lines) {
    text += fmt::format("- {}\n", line);
  }
  return text;
}

std::string summarizeResult(const JudgedProposal& tried) {
  if (tried.judged.ok() || tried.judged.outcome == Outcome::tooSlow) {
    return tried.speedup ? fmt::format("correct, {:.2f}x over the original", *tried.speedup)
                         : std::string("correct, not timed");
  }
  const std::vector<std::string> lines = errorLines(tried.judged);
  std::string message = shortened(lines.front(), kMaxSummaryLength);
  std::ranges::replace(message, '\n', ' ');
  return fmt::format("{}: {}", model::nameOf(tried.judged.outcome), message);
}

}  // namespace hone::kernel
