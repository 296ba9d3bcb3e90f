#include "kernel/propose/llm/llm_feedback.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using model::Outcome;

constexpr std::size_t kMaxErrorLines = 24;
constexpr std::size_t kMaxLineLength = 300;
constexpr std::size_t kMaxSummaryLength = 400;
/// Starts the messages that repeat a worker's words.
constexpr std::string_view kWorkerWords = "kernel failed: ";

/// Returns the compiler's messages about lines of the kernel, as "line 12: error: …". The builder
/// names the source by a hash. Messages about other files may quote their contents.
std::vector<std::string> ownCompilerLines(std::string_view diagnostics) {
  static const RE2 kOwn(
      R"(^(?:\S*/)?[0-9a-f]{32}\.(?:cc|c):(\d+):(?:\d+:)? ((?:fatal )?error|note|Error): (.*)$)");
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

/// Returns the kind and the line of a Python error: "TypeError in line 12".
std::string pythonError(std::string_view traceback) {
  static const RE2 kKind(
      R"(\b(SyntaxError|IndentationError|TabError|NameError|TypeError|ValueError|AttributeError|)"
      R"(ImportError|ModuleNotFoundError|KeyError|IndexError|AssertionError|RuntimeError|)"
      R"(NotImplementedError|ZeroDivisionError|RecursionError|UnboundLocalError|MemoryError)\b)");
  static const RE2 kLine(R"(File "[^"\n]*/[0-9a-f]{16,}\.py", line (\d{1,6}))");
  std::string kind;
  std::string number;
  std::string line;
  if (!RE2::PartialMatch(traceback, kKind, &kind)) {
    return "";
  }
  re2::StringPiece rest(traceback.data(), traceback.size());
  while (RE2::FindAndConsume(&rest, kLine, &number)) {
    line = number;  // the last one is the innermost
  }
  return line.empty() ? kind : fmt::format("{} in line {}", kind, line);
}

/// Returns true if the task has a tensor with this name.
bool hasTensor(const Task& task, const std::string& name) {
  const auto has = [&](const std::vector<Argument>& arguments) {
    return std::ranges::find(arguments, name, &Argument::name) != arguments.end();
  };
  return has(task.shape.inputs) || has(task.shape.outputs);
}

/// Returns the words of a worker if they are a known phrase without room for others; "" if not. The
/// judge adds the place in parentheses.
std::string knownPhrase(const Task& task, std::string_view words) {
  static const RE2 kKnown(
      R"((accesses unmapped or misaligned memory|divides an integer by zero|aborted|)"
      R"(executes an instruction that this processor does not support|)"
      R"(was killed by signal \d{1,2}|timed out and was killed|wrote to the judge's channel|)"
      R"(closed the judge's channel|process has already ended|)"
      R"(process ended: exit code \d{1,3}|process ended: killed by SIG[A-Z0-9]{2,6}|)"
      R"((?:reads|writes) (?:to|before the start of|past the end of) its (?:input|output) (\w+)))"
      R"(( \((?:[A-Za-z_]\w{0,15}=\d{1,9}[ ,] ?)*(?:random|positive|special) values\))?)");
  std::string phrase;
  std::string tensor;
  std::string place;
  if (words.starts_with("tried to ")) {
    return "tried to use a forbidden system call";
  }
  const bool known = RE2::FullMatch(words, kKnown, &phrase, &tensor, &place) &&
                     (tensor.empty() || hasTensor(task, tensor));
  return known ? phrase + place : "";
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

/// Returns the lines of the error, the most important first; empty if none may be shown.
std::vector<std::string> errorLines(const Task& task, const JudgeResult& judged) {
  const bool byWorker = judged.message.starts_with(kWorkerWords);
  if (byWorker) {
    std::string words = knownPhrase(task, judged.message.substr(kWorkerWords.size()));
    if (words.empty()) {
      words = pythonError(judged.message + "\n" + judged.diagnostics);
    }
    return words.empty() ? std::vector<std::string>() : std::vector<std::string>{words};
  }
  if (judged.outcome == Outcome::compileFailed && !judged.diagnostics.empty()) {
    return ownCompilerLines(judged.diagnostics);
  }
  std::vector<std::string> lines = {judged.message};
  if (judged.outcome == Outcome::invalid) {
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

std::string describeFailure(const Task& task, const JudgedProposal& tried) {
  const std::vector<std::string> lines = errorLines(task, tried.judged);
  if (tried.judged.outcome == Outcome::tooSlow) {
    return fmt::format("It is correct but too slow: {}.\n", lines.front());
  }
  std::string text = fmt::format("It {} ({})", plainPredicate(tried.judged.outcome),
                                 model::nameOf(tried.judged.outcome));
  if (lines.empty()) {
    return text + ".\n";
  }
  text += ":\n";
  for (const std::string& line : lines) {
    text += fmt::format("- {}\n", line);
  }
  return text;
}

std::string summarizeResult(const Task& task, const JudgedProposal& tried) {
  if (tried.judged.ok() || tried.judged.outcome == Outcome::tooSlow) {
    return tried.speedup ? fmt::format("correct, {:.2f}x over the original", *tried.speedup)
                         : std::string("correct, not timed");
  }
  const std::vector<std::string> lines = errorLines(task, tried.judged);
  std::string message = shortened(
      lines.empty() ? plainPredicate(tried.judged.outcome) : lines.front(), kMaxSummaryLength);
  std::ranges::replace(message, '\n', ' ');
  return fmt::format("{}: {}", model::nameOf(tried.judged.outcome), message);
}

}  // namespace hone::kernel
