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
  std::string results;  ///< a folder; "": the only *_results folder
  std::string ladder;   ///< "": the recommended one per kind
  std::string output;
};

/// Returns the recommended heuristics for this form of the source.
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
    return userError("{}: no recommendation for a source of the form '{}'", folder.string(),
                     model::nameOf(form));
  }
  return heuristics;
}

Result<int> apply(const Context& context, const ApplyOptions& options) {
  if (const auto said = HONE_TRY(split::restoreLeftover(options.source))) {
    fmt::print(stderr, "hone: {}\n", *said);
  }
  const std::string text = HONE_TRY(readFile(options.source));
  const auto form = HONE_TRY(split::detectForm(HONE_TRY(split::readSource(text, options.source))));
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
    fmt::print(stderr, "{} already has these heuristics\n", options.source);
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
  command->footer(
      "Examples:\n"
      "  hone split apply --source SetSplitReductionSizes.cpp -o split.patch\n"
      "  hone split apply --source SetSplitReductionSizes.cpp | git apply\n"
      "Exit code 2: the source has a form that hone cannot edit.");
  command->callback([&context, options] {
    context.action = [&context, options] { return apply(context, *options); };
  });
}

}  // namespace hone::app
