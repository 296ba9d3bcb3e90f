#include "app/split/split_merge.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/split/split_report.h"
#include "base/file.h"
#include "report/render/table.h"
#include "split/merge/merge.h"
#include "split/merge/merge_text.h"
#include "split/sweep/result_reader.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMergedAnalysisFile = "comprehensive_analysis.txt";

struct MergeOptions {
  std::vector<std::string> results;
  std::string output = "merged_results";
};

bool isSameFolder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

/// Returns names that tell the folders apart: their last parts, or the whole paths.
std::vector<std::string> nameDevices(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder).lexically_normal();
    names.push_back((path.has_filename() ? path : path.parent_path()).filename().string());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || names[i] == "." || names[i] == ".." ||
        std::count(names.begin(), names.end(), names[i]) > 1) {
      return folders;
    }
  }
  return names;
}

Result<std::vector<split::DeviceSweep>> readDevices(const MergeOptions& options) {
  if (options.results.size() < 2) {
    return userError("expected at least two results folders, got {}", options.results.size());
  }
  const auto names = nameDevices(options.results);
  std::vector<split::DeviceSweep> devices;
  for (std::size_t i = 0; i < options.results.size(); ++i) {
    const fs::path folder = HONE_TRY(resultsFolder(options.results[i]));
    if (isSameFolder(folder, options.output)) {
      return userError("{} would be overwritten; use -o to write another folder",
                       options.results[i]);
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (isSameFolder(folder, options.results[other])) {
        return userError("{} and {} are the same folder; name each device once",
                         options.results[other], options.results[i]);
      }
    }
    devices.push_back({names[i], HONE_TRY(split::readResults(folder))});
  }
  return devices;
}

nlohmann::json regretJson(const split::Regret& regret) {
  const auto orNull = [](bool known, double value) {
    return known ? nlohmann::json(value) : nlohmann::json();
  };
  const bool compared = regret.improved + regret.neutral + regret.regressed > 0;
  return {{"shapes", regret.shapes},
          {"unknown", regret.unknown},
          {"geomean_ratio", orNull(regret.shapes > 0, regret.geomeanRatio)},
          {"worst_ratio", orNull(regret.shapes > 0, regret.worstRatio)},
          {"speedup", orNull(compared, regret.speedup)},
          {"improved", regret.improved},
          {"neutral", regret.neutral},
          {"regressed", regret.regressed}};
}

nlohmann::json mergeJson(const MergeOptions& options, const split::MergedAnalysis& analysis) {
  nlohmann::json devices = nlohmann::json::array();
  for (const split::DeviceRegret& one : analysis.regrets) {
    devices.push_back({{"device", one.device},
                       {"kind", model::nameOf(one.kind)},
                       {"merged", regretJson(one.merged)},
                       {"own", regretJson(one.own)},
                       {"baseline", regretJson(one.baseline)}});
  }
  return {{"results", options.output},
          {"limits", analysis.all.sweep.limits},
          {"omitted_shapes", analysis.merged.omittedShapes},
          {"omitted_limits", analysis.merged.omittedLimits},
          {"regret", std::move(devices)},
          {"recommendations", model::toJson(std::span(analysis.all.recommendations))}};
}

void printMerged(const MergeOptions& options, const split::MergedAnalysis& analysis) {
  const split::MergedSweep& merged = analysis.merged;
  fmt::print("{} devices, {} shapes measured on all of them, {} omitted\n", merged.devices.size(),
             merged.devices.front().sweep.shapes.size(), merged.omittedShapes);
  report::Table table({{"device"},
                       {"kind"},
                       {"merged", report::Align::right},
                       {"own", report::Align::right},
                       {"default", report::Align::right},
                       {"worst", report::Align::right},
                       {"regressed", report::Align::right}});
  for (const split::DeviceRegret& one : analysis.regrets) {
    table.add({one.device, std::string(model::nameOf(one.kind)), split::regretPercent(one.merged),
               split::regretPercent(one.own), split::regretPercent(one.baseline),
               one.merged.shapes > 0 ? fmt::format("{:.2f}x", one.merged.worstRatio) : "N.A.",
               std::to_string(one.merged.regressed)});
  }
  fmt::print(
      "\nregret of the merged ladder, of the device's own and of the compiler's default:\n{}",
      table.text(report::outputWidth()));
  for (const split::Recommendation& one : analysis.all.recommendations) {
    if (one.oneD.heuristic.form == split::SourceForm::functions) {
      fmt::print("\n{}s: use {}\n", model::nameOf(one.oneD.heuristic.kind), one.why);
    }
  }
  fmt::print("\nreport: {}\n", (fs::path(options.output) / kMergedAnalysisFile).string());
  fmt::print("next: hone split apply --source SetSplitReductionSizes.cpp --results {}\n",
             options.output);
}

Result<int> splitMerge(const Context& context, const MergeOptions& options) {
  auto devices = HONE_TRY(readDevices(options));
  const auto analysis = split::analyzeMerged(HONE_TRY(split::mergeSweeps(std::move(devices))));
  if (fs::exists(options.output) && !fs::is_directory(options.output)) {
    return userError("{} is a file, not a folder", options.output);
  }
  HONE_CHECK(makeFolder(options.output));
  HONE_CHECK(writeFile(fs::path(options.output) / kMergedAnalysisFile, mergedText(analysis)));
  HONE_CHECK(split::writeRecommendations(options.output, analysis.all.recommendations));
  if (context.json) {
    fmt::print(
        "{}\n",
        mergeJson(options, analysis).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    printMerged(options, analysis);
  }
  return 0;
}

}  // namespace

void addSplitMerge(CLI::App& split, Context& context) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      split.add_subcommand("merge", "Fit one ladder to the results of several devices");
  command->add_option("RESULTS", options->results, "Results folders of a sweep, one per device")
      ->required()
      ->expected(-1);
  command->add_option("-o,--output", options->output, "Folder to write")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  hone split merge mi300_results mi250_results\n"
      "  hone split merge a_results b_results c_results -o fleet_results\n"
      "Only shapes and limits measured on all devices count; each device has the same weight.\n"
      "Exit code 2: the results have no shape or no limit in common.");
  command->callback([&context, options] {
    context.action = [&context, options] { return splitMerge(context, *options); };
  });
}

}  // namespace hone::app
