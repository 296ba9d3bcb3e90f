#include "kernel/turns/output/outputs.h"

#include <re2/re2.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "base/text/unified_diff.h"
#include "kernel/propose/analysis/gpu_estimate.h"
#include "kernel/worker/cpp/cpp_flags.h"

namespace hone::kernel {
namespace {

using nlohmann::json;

std::string speedupText(const stats::Comparison& comparison) {
  const stats::Interval& speedup = comparison.speedup;
  return fmt::format("{:.3f}x (95 % interval {:.3f} - {:.3f})", speedup.estimate, speedup.low,
                     speedup.high);
}

constexpr std::string_view kHeader = "Optimized by hone ";
constexpr std::string_view kUntimedHeader = "Proposed by hone ";

std::string_view commentMarker(Language language) { return language == Language::cpp ? "//" : "#"; }

std::string_view withoutHeader(std::string_view text, Language language) {
  const std::string_view mark = commentMarker(language);
  const bool hasHeader = text.starts_with(fmt::format("{} {}", mark, kHeader)) ||
                         text.starts_with(fmt::format("{} {}", mark, kUntimedHeader));
  const auto end = text.find("\n\n");
  return hasHeader && end != std::string_view::npos ? text.substr(end + 2) : text;
}

/// Returns the statistics of the compiled best kernel, one line per architecture.
std::vector<std::string> describeBest(const Optimized& optimized) {
  const JudgedProposal* best = optimized.find(optimized.best.source.key());
  return best == nullptr ? std::vector<std::string>() : describeGpu(best->judged.facts);
}

json evaluationJson(const Optimized& optimized, const Proposal& proposal) {
  const JudgedProposal* tried = optimized.find(proposal.source.key());
  if (tried == nullptr) {
    return {{"title", proposal.title}, {"outcome", "not judged"}};
  }
  return {{"title", proposal.title},
          {"outcome", model::nameOf(tried->judged.outcome)},
          {"message", tried->judged.message},
          {"speedup", tried->speedup ? json(*tried->speedup) : json()},
          {"turn", tried->turn},
          {"attempt", proposal.attempt},
          {"facts", toJson(tried->judged.facts)}};
}

json turnJson(const Optimized& optimized, const TurnRecord& turn, const Source& before,
              const std::string& fileName) {
  json suggestions = json::array();
  json changes = json::array();
  json evaluation = json::array();
  for (const Proposal& proposal : turn.proposals) {
    suggestions.push_back({{"title", proposal.title},
                           {"techniques", proposal.techniques},
                           {"reasoning", proposal.reasoning}});
    changes.push_back({{"title", proposal.title},
                       {"flags", proposal.source.flags},
                       {"diff", unifiedDiff(before.text, proposal.source.text, fileName)}});
    evaluation.push_back(evaluationJson(optimized, proposal));
  }
  const JudgedProposal* best = optimized.find(turn.best);
  const bool timed = optimized.timed;
  const auto cost = timed ? std::nullopt : optimized.estimatedCost(turn.best);
  return {{"iteration", turn.turn},
          {"bottleneck_analysis", turn.analysis ? toJson(*turn.analysis) : json()},
          {"examples", turn.examples},
          {"optimization_suggestions", std::move(suggestions)},
          {"code_changes", std::move(changes)},
          {"evaluation", std::move(evaluation)},
          {"improvement", timed ? json(turn.improvement) : json()},
          {"best", best != nullptr ? best->proposal.title : ""},
          {"speedup_over_original", timed ? json(turn.bestSpeedup) : json()},
          {"speedup",
           timed ? json(turn.bestSpeedup * optimized.originalOverPyTorch.value_or(1)) : json()},
          {"estimated_cost", cost ? json(*cost) : json()},
          {"repairs", turn.repairs},
          {"complaint", turn.complaint}};
}

}  // namespace

std::filesystem::path optimizedFile(const std::filesystem::path& kernelFile, double speedup) {
  return kernelFile.parent_path() / fmt::format("{}_optimized_{:.3f}x{}",
                                                kernelFile.stem().string(), speedup,
                                                kernelFile.extension().string());
}

std::filesystem::path untimedFile(const std::filesystem::path& kernelFile) {
  return kernelFile.parent_path() /
         fmt::format("{}_not_timed{}", kernelFile.stem().string(), kernelFile.extension().string());
}

bool isOptimizedFile(const std::filesystem::path& file) {
  static const RE2 kName(R"((_optimized_[0-9]+\.[0-9]+x|_not_timed)$)", RE2::Latin1);
  return RE2::PartialMatch(file.stem().string(), kName);
}

std::string optimizedText(const Optimized& optimized, const OutputOptions& options) {
  const Source& best = optimized.best.source;
  const std::string_view mark = commentMarker(best.language);
  std::string text =
      fmt::format("{} {}{} from {} on {}: {}\n", mark, optimized.timed ? kHeader : kUntimedHeader,
                  options.version, options.kernelFile.filename().string(), utcNow(),
                  shortened(optimized.best.title, 100));
  if (optimized.confirmed) {
    const Confirmation& confirmed = *optimized.confirmed;
    text += fmt::format("{} over the original: {}, {} interleaved rounds, {} -> {}\n", mark,
                        speedupText(confirmed.original), confirmed.original.rounds,
                        humanTime(confirmed.originalNs), humanTime(confirmed.bestNs));
    text += confirmed.pytorch
                ? fmt::format("{} over PyTorch: {}\n", mark, speedupText(*confirmed.pytorch))
                : fmt::format("{} over PyTorch: not measured\n", mark);
  }
  if (optimized.timed) {
    text += fmt::format("{} on {}; verified against {}\n", mark, options.machine,
                        options.reference.filename().string());
  } else {
    text += fmt::format(
        "{0} NOT TIMED: chosen by an estimate from the compiled code, not by a measurement.\n"
        "{0} Its twin on the CPU was verified against {1}. To time it on a machine with a GPU:\n"
        "{0} hone kernel optimize --device cuda --kernel {2} --reference {1}\n",
        mark, options.reference.filename().string(),
        untimedFile(options.kernelFile).filename().string());
    for (const std::string& line : describeBest(optimized)) {
      text += fmt::format("{} {}\n", mark, line);
    }
  }
  if (!optimized.best.techniques.empty()) {
    text += fmt::format("{} techniques: {}\n", mark, join(optimized.best.techniques, ", "));
  }
  std::vector<std::string> flags = best.flags;
  std::erase_if(flags, [](const std::string& flag) { return flag == kAsC; });
  if (!flags.empty()) {
    text += fmt::format("{} {}{}\n", mark, kFlagsLabel, join(flags, " "));
  }
  return fmt::format("{}\n{}", text, withoutHeader(best.text, best.language));
}

json historyJson(const Optimized& optimized, const std::string& fileName) {
  json turns = json::array();
  const Source* before = &optimized.original;
  for (const TurnRecord& turn : optimized.turns) {
    turns.push_back(turnJson(optimized, turn, *before, fileName));
    if (const JudgedProposal* best = optimized.find(turn.best); best != nullptr) {
      before = &best->proposal.source;
    }
  }
  if (!turns.empty()) {
    const json whole = toJson(toKernelOutcome(optimized));
    for (const char* name : {"stopped", "why", "note", "confirmed", "spent"}) {
      turns.back()[name] = whole[name];
    }
  }
  return turns;
}

Outputs planOutputs(const Optimized& optimized, const OutputOptions& options) {
  Outputs outputs;
  const json history = historyJson(optimized, options.kernelFile.filename().string());
  outputs.history = {fmt::format("optimization_history_{}.json", options.name),
                     jsonText(history, 2) + "\n"};
  if (!optimized.conversation.empty()) {
    outputs.conversation = {fmt::format("dspy_history_{}.txt", options.name),
                            optimized.conversation};
  }
  if (optimized.improved()) {
    outputs.kernel = {
        optimizedFile(options.kernelFile, optimized.reportedSpeedup()).filename().string(),
        optimizedText(optimized, options)};
  } else if (optimized.isPromising()) {
    outputs.kernel = {untimedFile(options.kernelFile).filename().string(),
                      optimizedText(optimized, options)};
  }
  return outputs;
}

Result<OutputFiles> writeOutputs(const Outputs& outputs, const std::filesystem::path& kernelFolder,
                                 const std::filesystem::path& logs) {
  const auto write = [](const NamedText& one,
                        const std::filesystem::path& folder) -> Result<std::filesystem::path> {
    if (one.name.empty()) {
      return std::filesystem::path();
    }
    std::filesystem::path file = folder / one.name;
    HONE_CHECK(writeFile(file, one.text));
    return file;
  };
  HONE_CHECK(makeFolder(logs));
  OutputFiles files;
  files.history = HONE_TRY(write(outputs.history, logs));
  files.conversation = HONE_TRY(write(outputs.conversation, logs));
  files.kernel = HONE_TRY(write(outputs.kernel, kernelFolder));
  return files;
}

std::optional<Example> makeExample(const Optimized& optimized) {
  Example example;
  const Source& best = optimized.best.source;
  example.name = fmt::format("{}-{}", best.name, best.key().substr(0, 8));
  example.technique = optimized.best.techniques.empty() ? std::string("rewrite")
                                                        : optimized.best.techniques.front();
  example.language = nameOf(best.language);
  example.title = fmt::format("{}: {}", best.name, optimized.best.title);
  example.text = optimized.best.reasoning;
  example.before = withoutHeader(optimized.original.text, best.language);
  example.after = withoutHeader(best.text, best.language);
  example.speedup = optimized.confirmed ? optimized.confirmed->original.speedup.estimate : 0;
  return changesCode(example) ? std::optional(std::move(example)) : std::nullopt;
}

}  // namespace hone::kernel
