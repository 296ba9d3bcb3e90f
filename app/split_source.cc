#include "app/split_source.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/unified_diff.h"
#include "split/rebuild.h"
#include "split/source_edit.h"
#include "split/source_form.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions {
  std::string source;
  std::string results;  ///< a folder
  std::string recommendation;
  std::string ladder;
  std::string output;
};

Result<fs::path> recommendationOf(const ApplyOptions& options) {
  if (options.recommendation.empty() == options.results.empty()) {
    return userError(
        "give either recommendation.json or --results, the folder with the results of hone split");
  }
  return options.recommendation.empty() ? fs::path(options.results) / "recommendation.json"
                                        : fs::path(options.recommendation);
}

/// Chains had one dimension in the compiler, functions have two.
std::string usualLadder(split::SourceForm form) {
  return form == split::SourceForm::chain ? "1d" : "2d";
}

Result<nlohmann::json> readJson(const fs::path& file) {
  auto json = nlohmann::json::parse(HONE_TRY(readFile(file)), nullptr, false);
  if (json.is_discarded()) {
    return userError("{} is not JSON", file.string());
  }
  return json;
}

Result<int> apply(const Context& context, const ApplyOptions& options) {
  const fs::path recommendation = HONE_TRY(recommendationOf(options));
  if (const auto said = HONE_TRY(split::restoreLeftover(options.source))) {
    fmt::print(stderr, "hone: {}\n", *said);
  }
  const std::string text = HONE_TRY(readFile(options.source));
  const auto form = HONE_TRY(split::formOf(HONE_TRY(split::readSource(text, options.source))));
  const auto heuristics = HONE_TRY(readHeuristics(
      recommendation, form, options.ladder.empty() ? usualLadder(form) : options.ladder));
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
                                      {"form", split::nameOf(form)},
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

Result<std::vector<split::Heuristic>> readHeuristics(const fs::path& file, split::SourceForm form,
                                                     const std::string& ladder) {
  const nlohmann::json json = HONE_TRY(readJson(file));
  if (!json.is_object() || !json.contains("heuristics") || !json["heuristics"].is_array()) {
    return userError("{} has no list 'heuristics'", file.string());
  }
  std::vector<split::Heuristic> wanted;
  for (const nlohmann::json& one : json["heuristics"]) {
    nlohmann::json plain = one;
    const bool fits = one.is_object() && one.value("ladder", nlohmann::json()) == ladder;
    if (one.is_object()) {
      plain.erase("ladder");
    }
    auto heuristic = split::heuristicFrom(plain);
    if (!heuristic) {
      return within(file.string(), std::move(heuristic).error());
    }
    if (fits && heuristic->form == form) {
      wanted.push_back(std::move(*heuristic));
    }
  }
  if (wanted.empty()) {
    return userError("{} has no heuristics with a {} ladder for the form '{}'", file.string(),
                     ladder, split::nameOf(form));
  }
  return wanted;
}

void addSplitApply(CLI::App& split, Context& context) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = split.add_subcommand(
      "apply", "Derived heuristics as a patch for your SetSplitReductionSizes.cpp");
  verb->add_option("recommendation", options->recommendation,
                   "The recommendation.json that hone split wrote");
  verb->add_option("--source", options->source,
                   "SetSplitReductionSizes.cpp; it is read, not changed")
      ->required();
  verb->add_option("--results", options->results, "The folder that has recommendation.json");
  verb->add_option("--ladder", options->ladder,
                   "1d: by the size of the output; 2d: by that of the reduction too; as the source "
                   "has it when not given")
      ->check(CLI::IsMember({"1d", "2d"}));
  verb->add_option("-o,--output", options->output, "The file for the patch, instead of stdout");
  verb->footer(
      "Examples:\n"
      "  hone split apply --source iree/compiler/src/iree/compiler/DispatchCreation/"
      "SetSplitReductionSizes.cpp \\\n"
      "    --results results -o split.patch\n"
      "  hone split apply recommendation.json --source SetSplitReductionSizes.cpp | git apply\n"
      "Exit code 2: the source is written in a form that hone does not edit.");
  verb->callback([&context, options] {
    context.action = [&context, options] { return apply(context, *options); };
  });
}

}  // namespace hone::app
