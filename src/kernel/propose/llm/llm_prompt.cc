#include "kernel/propose/llm/llm_prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/propose/llm/llm_feedback.h"
#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kMaxExampleLength = 4'000;
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
    const auto& range = argument.range;
    texts.push_back(fmt::format(
        "{} {}{}", argument.name, argument.type.text(),
        range ? fmt::format(" with values from {} to {}", range->low, range->high - 1) : ""));
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

std::string trialsText(const TurnView& view) {
  std::span<const JudgedProposal> tried = view.tried;
  std::string text;
  if (tried.size() > kMaxShownTrials) {
    tried = tried.last(kMaxShownTrials);
  }
  for (const JudgedProposal& one : tried) {
    text += fmt::format("- turn {}: {}: {}\n", one.turn, shortened(one.proposal.title, 100),
                        summarizeResult(one));
  }
  return text;
}

/// Returns the examples; those that the model knows already only by name.
std::string examplesText(std::span<const Example> examples, const std::set<std::string>& shown) {
  std::string text;
  std::vector<std::string> known;
  for (const Example& example : examples) {
    if (shown.contains(example.name)) {
      known.push_back(example.title);
      continue;
    }
    const auto language = languageFrom(example.language).value_or(Language::cpp);
    text += fmt::format("### {} ({}{})\n{}\n\nBefore:\n{}After:\n{}\n", example.title,
                        example.technique,
                        example.speedup > 0 ? fmt::format(", {:.2f}x", example.speedup) : "",
                        shortened(example.text, kMaxExampleLength),
                        fenced(shortened(example.before, kMaxExampleLength), language),
                        fenced(shortened(example.after, kMaxExampleLength), language));
  }
  if (!known.empty()) {
    text += fmt::format("Shown before: {}\n", join(known, "; "));
  }
  return text;
}

std::string entryPointText(const Source& best) {
  if (best.language != Language::cpp) {
    return "`class ModelNew`";
  }
  const auto point = findEntryPoint(best.text);
  return fmt::format("`{}`", point ? point->declaration : "kernel");
}

std::string rulesText(const Source& best) {
  const std::string_view language = best.language == Language::cpp ? "cpp" : "python";
  return fmt::format(
      "Each candidate has a heading `### Candidate N: what it does`, a line `Techniques: key, "
      "key`, a sentence that explains why it is faster, and one fenced block ```{} with the whole "
      "file. If a change is small, a block ```diff with a unified diff of the file suffices. Keep "
      "the entry point {}. Every candidate is built, run on fresh random inputs, compared with an "
      "f64 reference, and timed externally. Not allowed: calls to a library or to the reference "
      "that do the work, results kept between calls, threads left running, try/except around the "
      "work, and any access to clocks, files or processes.\n",
      language, entryPointText(best));
}

std::string rejectedText(std::span<const std::string> rejected) {
  return rejected.empty() ? std::string()
                          : fmt::format("\n## Unusable parts of your last answer\n- {}\n",
                                        join(rejected, "\n- "));
}

}  // namespace

std::string briefing(const TurnView& view, std::string_view guidance) {
  const bool isFirst = !view.reference.empty();
  std::string text = isFirst ? "Write a compute kernel that computes what its reference computes.\n"
                             : "Make a compute kernel faster without changing its results.\n";
  text += fmt::format("\n## Task\n{}", taskText(view.task, view.best));
  if (isFirst) {
    text += fmt::format(
        "\n## Reference\n{}",
        fenced(view.reference, view.task.inPython() ? Language::tilelang : Language::cpp));
  }
  text += fmt::format("\n## Answer format\n{}", rulesText(view.best));
  if (!trim(guidance).empty()) {
    text += fmt::format("\n## Guidance\n{}\n", trim(guidance));
  }
  return text + "\n";
}

std::string earlierTurns(const TurnView& view) {
  return view.tried.empty()
             ? std::string()
             : fmt::format(
                   "## Earlier turns, summed up\nThe best kernel so far is {:.2f}x as fast "
                   "as the original.\n{}\n",
                   view.bestSpeedup, trialsText(view));
}

std::string turnPrompt(const TurnView& view, const TurnNotes& notes) {
  const Source& best = view.best;
  if (!view.reference.empty()) {
    return fmt::format(
        "{}{}\n## Request\nAnswer with one candidate: a simple kernel that is correct for all "
        "sizes. "
        "It will be made faster later.\n",
        view.examples.empty() ? std::string()
                              : fmt::format("## Examples of techniques\n{}",
                                            examplesText(view.examples, notes.shown)),
        rejectedText(notes.rejected));
  }
  std::string prompt =
      fmt::format("## Current kernel ({:.2f}x over the original)\n", view.bestSpeedup);
  if (!best.flags.empty()) {
    prompt += fmt::format("Additional compiler flags: {}\n", join(best.flags, " "));
  }
  prompt += fenced(best.text, best.language);
  prompt += fmt::format("\n## Bottleneck analysis\n{}\n", view.analysis.text());
  if (!view.examples.empty()) {
    prompt +=
        fmt::format("\n## Examples of techniques\n{}", examplesText(view.examples, notes.shown));
  }
  if (!view.tried.empty()) {
    prompt += fmt::format("\n## Earlier candidates\n{}", trialsText(view));
  }
  prompt += rejectedText(notes.rejected);
  const std::size_t count = std::max<std::size_t>(view.count, 1);
  prompt += fmt::format(
      "\n## Request\nAnswer with {} candidate{}, the most promising first, each with a different "
      "idea.\n",
      count, count == 1 ? "" : "s");
  return prompt;
}

std::string repairPrompt(std::span<const JudgedProposal> failed,
                         std::span<const std::string> rejected) {
  std::string prompt;
  for (const JudgedProposal& one : failed) {
    prompt += fmt::format("## Failed: {}\n{}Its code:\n{}\n", shortened(one.proposal.title, 100),
                          describeFailure(one),
                          fenced(one.proposal.source.text, one.proposal.source.language));
  }
  prompt += rejectedText(rejected);
  const std::size_t count = std::max<std::size_t>(1, failed.size() + rejected.size());
  prompt += fmt::format(
      "\n## Request\nCorrect {}: keep the idea, remove the cause of the error, and check the rest "
      "of "
      "the code for the same mistake. Answer in the same format with {} candidate{}.\n",
      count == 1 ? "it" : "them", count, count == 1 ? "" : "s");
  return prompt;
}

}  // namespace hone::kernel
