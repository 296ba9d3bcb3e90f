#include "kernel/propose/llm/llm_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kLongestExample = 4'000;
constexpr std::size_t kLongestError = 400;
/// Of the trials, the last so many.
constexpr std::size_t kShownTrials = 24;

std::string fenced(std::string_view code, Language language) {
  return fmt::format("```{}\n{}{}```\n", language == Language::cpp ? "cpp" : "python", code,
                     code.ends_with('\n') ? "" : "\n");
}

std::string argumentsOf(const std::vector<Argument>& arguments) {
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
    text += fmt::format("Timed for {}; it must be right for {}.\n", join(sizes, ", "),
                        hasFixedSizes(best) ? "these sizes only" : "other sizes, too");
  } else if (!task.others.empty() && !hasFixedSizes(best)) {
    text += "It must be right for other sizes, too.\n";
  }
  text += fmt::format("Inputs: {}\nOutputs: {}\n", argumentsOf(task.shape.inputs),
                      argumentsOf(task.shape.outputs));
  if (task.shape.flops > 0) {
    text +=
        fmt::format("Work: {:.4g} FLOP on {:.4g} bytes\n", task.shape.flops, task.shape.bytes());
  }
  text +=
      best.language == Language::cpp
          ? "Built by g++ with -O2 -march=native; standard headers and <immintrin.h> are there, "
            "#pragma GCC may be used.\n"
          : "A TileLang kernel behind a class ModelNew with the same constructor and forward as "
            "the reference's Model.\n";
  return text;
}

std::string triedText(std::span<const Tried> tried) {
  std::string text;
  if (tried.size() > kShownTrials) {
    tried = tried.last(kShownTrials);
  }
  for (const Tried& one : tried) {
    text += fmt::format("- turn {}: {}: ", one.turn, shortened(one.proposal.title, 100));
    if (one.judged.ok() || one.judged.outcome == model::Outcome::tooSlow) {
      text += one.speedup ? fmt::format("right, {:.2f}x the original's speed\n", *one.speedup)
                          : std::string("right, not timed\n");
    } else {
      std::string message = shortened(one.judged.message, kLongestError);
      std::replace(message.begin(), message.end(), '\n', ' ');
      text += fmt::format("{}: {}\n", model::nameOf(one.judged.outcome), message);
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
                        shortened(example.text, kLongestExample),
                        fenced(shortened(example.before, kLongestExample), language),
                        fenced(shortened(example.after, kLongestExample), language));
  }
  return text;
}

std::string declarationIn(std::string_view code) {
  const auto point = entryPointOf(code);
  return point ? point->declaration : "kernel";
}

std::string rulesText(const Source& best, std::size_t count) {
  const std::string entry = best.language == Language::cpp
                                ? fmt::format("`{}`", declarationIn(best.text))
                                : std::string("`class ModelNew`");
  const std::string_view language = best.language == Language::cpp ? "cpp" : "python";
  return fmt::format(
      "Answer with {} candidate{}, the most promising first, each a different idea. Each has a "
      "heading `### Candidate N: what it does`, a line `Techniques: key, key`, a sentence on why "
      "it "
      "is faster, and exactly one fenced block ```{} with the whole file. Keep the entry point {}. "
      "Every candidate is built, run on fresh random inputs, compared with an f64 reference, and "
      "timed from outside. Refused are: calls of a library or of the reference that do the work, "
      "results kept from one call to the next, threads left running, try/except around the work, "
      "and anything that touches clocks, files or processes.\n",
      count, count == 1 ? "" : "s", language, entry);
}

}  // namespace

std::string promptFor(const TurnView& view, std::span<const std::string> refused) {
  const Source& best = view.best;
  std::string prompt =
      "You make a compute kernel faster without changing what it computes.\n\n## The task\n";
  prompt += taskText(view.task, best);
  prompt += fmt::format("\n## The kernel as it is now ({:.2f}x the original's speed)\n",
                        view.bestSpeedup);
  if (!best.flags.empty()) {
    prompt += fmt::format("Built with {} on top.\n", join(best.flags, " "));
  }
  prompt += fenced(best.text, best.language);
  prompt += fmt::format("\n## Where its time goes\n{}\n", view.analysis.text());
  if (!view.examples.empty()) {
    prompt += fmt::format("\n## Examples of techniques\n{}", examplesText(view.examples));
  }
  if (!view.tried.empty()) {
    prompt += fmt::format("\n## Tried so far\n{}", triedText(view.tried));
  }
  if (!refused.empty()) {
    prompt += fmt::format("\n## Your last answer could not be used\n- {}\n", join(refused, "\n- "));
  }
  prompt +=
      fmt::format("\n## Your answer\n{}", rulesText(best, std::max<std::size_t>(view.count, 1)));
  return prompt;
}

}  // namespace hone::kernel
