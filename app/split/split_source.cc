#include "app/split/split_source.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/split/split_report.h"
#include "base/file.h"
#include "base/text/unified_diff.h"
#include "split/fit/recommendation.h"
#include "split/source/source_edit.h"
#include "split/source/source_rule.h"
#include "split/sweep/rebuild.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions {
  std::string source;
  std::string results;  ///< a folder; "": the only *_results folder
  std::string ladder;   ///< "": the recommended one per kind
  std::string output;
  bool force = false;
};

/// The heuristics to write, and remarks about the others.
struct Selection {
  std::vector<split::Heuristic> heuristics;
  std::vector<std::string> notes;
  std::vector<std::string> reasons;    ///< the notes about kinds that gain nothing
  std::optional<std::string> refusal;  ///< reason to write no patch without --force
};

const split::FittedHeuristic& chosenFit(const ApplyOptions& options,
                                        const split::Recommendation& one) {
  return options.ladder == "1d" ? one.oneD : options.ladder == "2d" ? one.twoD : one.taken();
}

/// Adds the heuristic for the form of the source, unless the compiler's code is as good.
Result<void> select(const ApplyOptions& options, const split::Source& source,
                    const split::Recommendation& one, Selection& selection) {
  const split::FittedHeuristic& fitted = chosenFit(options, one);
  const model::ReductionKind kind = fitted.heuristic.kind;
  if (!HONE_TRY(split::hasLimit(source, kind))) {
    const std::string note = fmt::format("{}: this version does not limit the parts of a {}",
                                         options.source, model::nameOf(kind));
    if (std::ranges::find(selection.notes, note) == selection.notes.end()) {
      selection.notes.push_back(note);
    }
    return {};
  }
  const split::SourceRule rule = HONE_TRY(split::readRule(source, kind));
  if (rule.form != fitted.heuristic.form) {
    return {};
  }
  for (const int line : rule.keptReturns) {
    selection.notes.push_back(fmt::format(
        "{}:{}: early return on other properties than sizes is kept", options.source, line));
  }
  const auto reason = split::reasonToKeepCompilersCode(fitted);
  if (reason && !options.force) {
    const std::string note = fmt::format("{}: {}", model::nameOf(kind), *reason);
    const bool regressed = fitted.validated && fitted.validated->regressed > 0;
    selection.refusal = regressed ? note : selection.refusal;
    selection.reasons.push_back(note);
    selection.notes.push_back(note);
    return {};
  }
  selection.heuristics.push_back(fitted.heuristic);
  return {};
}

/// Selects the recommended heuristics for the forms of the source.
Result<Selection> selectHeuristics(const ApplyOptions& options, const split::Source& source,
                                   std::span<const split::Recommendation> recommendations) {
  if (!HONE_TRY(split::sizesFunction(source, model::ReductionKind::convolution)) &&
      !HONE_TRY(split::sizesFunction(source, model::ReductionKind::matmul))) {
    return source.error(1, "function getMatmulLikeReductionSizes not found");
  }
  Selection selection;
  for (const split::Recommendation& one : recommendations) {
    HONE_CHECK(select(options, source, one, selection));
  }
  if (selection.heuristics.empty() && selection.reasons.empty()) {
    return selection.notes.empty() ? userError("no recommendation for {}", options.source)
                                   : userError("{}; nothing to patch", selection.notes.back());
  }
  if (selection.heuristics.empty() && !selection.refusal) {
    selection.refusal = selection.reasons.back();
  }
  return selection;
}

/// Returns the form of the heuristics: "chain", "functions" or "mixed".
std::string formName(const std::vector<split::Heuristic>& heuristics) {
  std::string name;
  for (const split::Heuristic& heuristic : heuristics) {
    const std::string form(model::nameOf(heuristic.form));
    name = name.empty() || name == form ? form : "mixed";
  }
  return name;
}

void print(const Context& context, const ApplyOptions& options, const Selection& selection,
           const std::string& patch) {
  const auto& heuristics = selection.heuristics;
  if (context.json) {
    nlohmann::json kinds = nlohmann::json::array();
    for (const split::Heuristic& heuristic : heuristics) {
      kinds.push_back(model::nameOf(heuristic.kind));
    }
    nlohmann::json json{{"source", options.source},
                        {"form", formName(heuristics)},
                        {"kinds", kinds},
                        {"notes", selection.notes},
                        {"patch", patch}};
    if (selection.refusal) {
      json["refusal"] = *selection.refusal;
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const std::string& note : selection.notes) {
    if (!selection.refusal) {
      fmt::print(stderr, "hone: {}\n", note);
    }
  }
  if (selection.refusal) {
    fmt::print(stderr, "hone: no patch written: {}; keep the compiler's code, or use --force\n",
               *selection.refusal);
  } else if (patch.empty()) {
    fmt::print(stderr, "{} already has these heuristics\n", options.source);
  } else if (options.output.empty()) {
    fmt::print("{}", patch);
  } else {
    fmt::print("{}: heuristics for {} of 2 kinds of operations\nnext: git apply {}\n",
               options.output, heuristics.size(), options.output);
  }
}

/// Reads the source, restoring it first if a killed process left it edited.
Result<std::string> readRestored(const std::string& file) {
  if (const auto said = HONE_TRY(split::restoreLeftover(file))) {
    fmt::print(stderr, "hone: {}\n", *said);
  }
  return readFile(file);
}

Result<int> apply(const Context& context, const ApplyOptions& options) {
  const std::string text = HONE_TRY(readRestored(options.source));
  const std::string own = HONE_TRY(split::withoutHeuristics(text, options.source));
  const split::Source source = HONE_TRY(split::readSource(own, options.source));
  const fs::path folder = HONE_TRY(resultsFolder(options.results));
  const auto recommendations = HONE_TRY(split::readRecommendations(folder));
  Selection selection = HONE_TRY(selectHeuristics(options, source, recommendations));
  if (selection.refusal) {
    selection.heuristics.clear();
    print(context, options, selection, "");
    return 1;
  }
  const std::string changed =
      HONE_TRY(split::withHeuristics(text, options.source, selection.heuristics));
  const std::string patch = unifiedDiff(text, changed, patchPath(options.source));
  if (!options.output.empty()) {
    HONE_CHECK(writeFile(options.output, patch));
  }
  print(context, options, selection, patch);
  return 0;
}

}  // namespace

Result<std::vector<split::Heuristic>> heuristicsFor(
    const fs::path& file, std::span<const split::Recommendation> recommendations) {
  ApplyOptions options;
  options.source = file.string();
  options.force = true;
  const std::string text = HONE_TRY(readRestored(options.source));
  const std::string own = HONE_TRY(split::withoutHeuristics(text, file));
  const split::Source source = HONE_TRY(split::readSource(own, options.source));
  return HONE_TRY(selectHeuristics(options, source, recommendations)).heuristics;
}

void addSplitApply(CLI::App& split, Context& context) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* command =
      split.add_subcommand("apply", "Write the recommended code as a patch for the compiler");
  command
      ->add_option("--source", options->source,
                   "SetSplitReductionSizes.cpp of the compiler; not modified")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--results", options->results,
                   "Results folder (default: the only *_results folder)")
      ->type_name("DIR");
  command
      ->add_option("--ladder", options->ladder,
                   "Thresholds on the output size (1d), or on output and reduction size (2d) "
                   "(default: as recommended)")
      ->check(CLI::IsMember({"1d", "2d"}));
  command->add_option("-o,--output", options->output, "Patch file to write (default: stdout)")
      ->type_name("FILE");
  command->add_flag("--force", options->force,
                    "Write the patch even if it gains nothing or a shape regressed");
  command->footer(
      "Examples:\n"
      "  hone split apply --source SetSplitReductionSizes.cpp -o split.patch\n"
      "  hone split apply --source SetSplitReductionSizes.cpp | git apply\n"
      "The patch decides about measured sizes only; the rest of the source keeps its rules.\n"
      "Exit code 1: the compiler's code is as good, or a shape regressed; no patch.\n"
      "Exit code 2: the source has code that hone does not understand.");
  command->callback([&context, options] {
    context.action = [&context, options] { return apply(context, *options); };
  });
}

}  // namespace hone::app
