#include "kernel/propose/llm/llm_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kMaxExampleLength = 4'000;
constexpr std::size_t kMaxErrorLength = 400;
/// The prompt shows this many of the latest trials.
constexpr std::size_t kMaxShownTrials = 24;

std::string fenced(std::string_view code, Language language) {
  return fmt::format("```{}\n{}{}```\n", language == Language::cpp ? "cpp" : "python", code,
                     code.ends_with('\n') ? "" : "\n");
}

std::string argumentsText(const std::vector<Argument>& arguments) {
  std::vector<std::string> texts;
  texts.reserve(arguments.size());
  for (const Argument& argument : arguments) {
    texts.push_back(fmt::format("{} {}", argument.name, argument.type.text()));
  }
  return join(texts, ", ");
}

std::string taskText(const Task& task, const Source& best) {
  std::string text = fmt::format("Task: {}\n", task.name);
  if (!task.shape.sizes.empty()) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : task.shape.sizes) {
      sizes.push_back(fmt::format("{} = {}", name, value));
    }
    text +=
        fmt::format("The kernel is timed for {}. It must be correct for {}.\n", join(sizes, ", "),
                    hasFixedSizes(best) ? "these sizes only" : "other sizes, too");
  } else if (!task.others.empty() && !hasFixedSizes(best)) {
    text += "The kernel must be correct for other sizes, too.\n";
  }
  text += fmt::format("Inputs: {}\nOutputs: {}\n", argumentsText(task.shape.inputs),
                      argumentsText(task.shape.outputs));
  if (task.shape.flops > 0) {
    text +=
        fmt::format("Work: {:.4g} FLOP on {:.4g} bytes\n", task.shape.flops, task.shape.bytes());
  }
  text +=
      best.language == Language::cpp
          ? "It is built by g++ with -O2 -march=native. Standard headers, <immintrin.h> and "
            "#pragma "
            "GCC are available.\n"
          : "It is a TileLang kernel in a class ModelNew with the same constructor and forward as "
            "the Model of the reference.\n";
  return text;
}

/// Keeps one line of printable characters. Messages of the judge contain no text of a kernel except
/// compiler errors about its source; see docs/kernel-worker.md.
std::string plainMessage(std::string_view message) {
  std::string text = shortened(message, kMaxErrorLength);
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == '`'; },
      ' ');
  return text;
}

std::string trialsText(std::span<const JudgedProposal> tried) {
  std::string text;
  if (tried.size() > kMaxShownTrials) {
    tried = tried.last(kMaxShownTrials);
  }
  for (const JudgedProposal& one : tried) {
    text += fmt::format("- turn {}: {}: ", one.turn, shortened(one.proposal.title, 100));
    if (one.judged.ok() || one.judged.outcome == model::Outcome::tooSlow) {
      text += one.speedup ? fmt::format("correct, {:.2f}x over the original\n", *one.speedup)
                          : std::string("correct, not timed\n");
    } else {
      text += fmt::format("{}: {}\n", model::nameOf(one.judged.outcome),
                          plainMessage(one.judged.message));
    }
  }
  return text;
}

std::string examplesText(std::span<const Example> examples) {
  std::string text;
  for (const Example& example : examples) {
    const auto language = languageFrom(example.language).value_or(Language::cpp);
    text += fmt::format("### {} ({}{})\n{}\n\nBefore:\n{}After:\n{}\n", example.title,
                        example.technique,
                        example.speedup > 0 ? fmt::format(", {:.2f}x", example.speedup) : "",
                        shortened(example.text, kMaxExampleLength),
                        fenced(shortened(example.before, kMaxExampleLength), language),
                        fenced(shortened(example.after, kMaxExampleLength), language));
  }
  return text;
}

std::string kernelDeclaration(std::string_view code) {
  const auto point = findEntryPoint(code);
  return point ? point->declaration : "kernel";
}

std::string rulesText(const Source& best, std::size_t count) {
  const std::string entry = best.language == Language::cpp
                                ? fmt::format("`{}`", kernelDeclaration(best.text))
                                : std::string("`class ModelNew`");
  const std::string_view language = best.language == Language::cpp ? "cpp" : "python";
  return fmt::format(
      "Answer with {} candidate{}, the most promising first, each with a different idea. Each "
      "candidate has a heading `### Candidate N: what it does`, a line `Techniques: key, key`, a "
      "sentence that explains why it is faster, and exactly one fenced block ```{} with the whole "
      "file. Keep the entry point {}. Every candidate is built, run on fresh random inputs, "
      "compared "
      "with an f64 reference, and timed externally. Not allowed: calls to a library or to "
      "the reference that do the work, results kept between calls, threads left running, "
      "try/except around the work, and any access to clocks, files or processes.\n",
      count, count == 1 ? "" : "s", language, entry);
}

}  // namespace

std::string buildPrompt(const TurnView& view, std::span<const std::string> rejected) {
  const Source& best = view.best;
  std::string prompt = "Make a compute kernel faster without changing its results.\n\n## Task\n";
  prompt += taskText(view.task, best);
  prompt += fmt::format("\n## Current kernel ({:.2f}x over the original)\n", view.bestSpeedup);
  if (!best.flags.empty()) {
    prompt += fmt::format("Additional compiler flags: {}\n", join(best.flags, " "));
  }
  prompt += fenced(best.text, best.language);
  prompt += fmt::format("\n## Bottleneck analysis\n{}\n", view.analysis.text());
  if (!view.examples.empty()) {
    prompt += fmt::format("\n## Examples of techniques\n{}", examplesText(view.examples));
  }
  if (!view.tried.empty()) {
    prompt += fmt::format("\n## Earlier candidates\n{}", trialsText(view.tried));
  }
  if (!rejected.empty()) {
    prompt +=
        fmt::format("\n## Rejected parts of your last answer\n- {}\n", join(rejected, "\n- "));
  }
  prompt +=
      fmt::format("\n## Answer format\n{}", rulesText(best, std::max<std::size_t>(view.count, 1)));
  return prompt;
}

}  // namespace hone::kernel
