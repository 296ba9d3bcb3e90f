#include "app/split/split_source.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/split/split_report.h"
#include "base/file.h"
#include "base/text/unified_diff.h"
#include "split/fit/recommendation.h"
#include "split/source/source_edit.h"
#include "split/source/source_form.h"
#include "split/sweep/rebuild.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions {
  std::string source;
  std::string results;  ///< a folder; "": the only one here
  std::string ladder;   ///< "": the recommended one of each kind
  std::string output;
};

/// The recommended heuristics for the form.
Result<std::vector<split::Heuristic>> heuristicsFor(const ApplyOptions& options,
                                                    split::SourceForm form) {
  const fs::path folder = HONE_TRY(resultsFolder(options.results));
  const auto recommendations = HONE_TRY(split::readRecommendations(folder));
  std::vector<split::Heuristic> heuristics;
  for (const split::Recommendation& one : recommendations) {
    const split::FittedHeuristic& fitted = options.ladder == "1d"   ? one.oneD
                                           : options.ladder == "2d" ? one.twoD
                                                                    : one.taken();
    if (fitted.heuristic.form == form) {
      heuristics.push_back(fitted.heuristic);
    }
  }
  if (heuristics.empty()) {
    return userError("{} recommends nothing for a source of the form '{}'", folder.string(),
                     model::nameOf(form));
  }
  return heuristics;
}

Result<int> apply(const Context& context, const ApplyOptions& options) {
  if (const auto said = HONE_TRY(split::restoreLeftover(options.source))) {
    fmt::print(stderr, "hone: {}\n", *said);
  }
  const std::string text = HONE_TRY(readFile(options.source));
  const auto form = HONE_TRY(split::formOf(HONE_TRY(split::readSource(text, options.source))));
  const auto heuristics = HONE_TRY(heuristicsFor(options, form));
  const std::string changed = HONE_TRY(split::withHeuristics(text, options.source, heuristics));
  const std::string patch = unifiedDiff(text, changed, patchPath(options.source));
  if (!options.output.empty()) {
    HONE_CHECK(writeFile(options.output, patch));
  }
  if (context.json) {
    nlohmann::json kinds = nlohmann::json::array();
    for (const split::Heuristic& heuristic : heuristics) {
      kinds.push_back(model::nameOf(heuristic.kind));
    }
    fmt::print("{}\n", nlohmann::json{{"source", options.source},
                                      {"form", model::nameOf(form)},
                                      {"kinds", kinds},
                                      {"patch", patch}}
                           .dump(2));
  } else if (patch.empty()) {
    fmt::print(stderr, "{} has these heuristics already\n", options.source);
  } else if (options.output.empty()) {
    fmt::print("{}", patch);
  } else {
    fmt::print("{}: heuristics for {} of 2 kinds of operations\nnext: git apply {}\n",
               options.output, heuristics.size(), options.output);
  }
  return 0;
}

}  // namespace

void addSplitApply(CLI::App& split, Context& context) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = split.add_subcommand(
      "apply", "Derived heuristics as a patch for your SetSplitReductionSizes.cpp");
  verb->add_option("--source", options->source,
                   "SetSplitReductionSizes.cpp; it is read, not changed")
      ->required();
  verb->add_option("--results", options->results,
                   "The folder that hone split wrote; the only *_results here when not given");
  verb->add_option("--ladder", options->ladder,
                   "1d: by the size of the output; 2d: by that of the reduction too; the "
                   "recommended one when not given")
      ->check(CLI::IsMember({"1d", "2d"}));
  verb->add_option("-o,--output", options->output, "The file for the patch, instead of stdout");
  verb->footer(
      "Examples:\n"
      "  hone split apply --source iree/compiler/src/iree/compiler/DispatchCreation/"
      "SetSplitReductionSizes.cpp \\\n"
      "    --results convolutions_results -o split.patch\n"
      "  hone split apply --source SetSplitReductionSizes.cpp | git apply\n"
      "Exit code 2: the source is written in a form that hone does not edit.");
  verb->callback([&context, options] {
    context.action = [&context, options] { return apply(context, *options); };
  });
}

}  // namespace hone::app
