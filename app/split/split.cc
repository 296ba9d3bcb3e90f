#include "app/split/split.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/split/split_annotate.h"
#include "app/split/split_source.h"
#include "app/split/split_sweep.h"

namespace hone::app {
namespace {

constexpr const char* kQuickLimits = "1,64,128,256";
constexpr const char* kFullLimits = "1,8,16,32,64,128,256,512,1024,2048";

/// A mode that measures.
CLI::App* addMeasuring(CLI::App& split, const char* name, const char* what,
                       const std::shared_ptr<SplitOptions>& options) {
  CLI::App* mode = split.add_subcommand(name, what);
  options->workload.addTo(*mode);
  mode->add_option("--results", options->results,
                   "The folder of the results; <name of the workload>_results when not given");
  mode->add_option("--seed", options->seed, "Of inputs and orders")->capture_default_str();
  options->toolchain.addTo(*mode);
  options->cluster.addTo(*mode);
  return mode;
}

void addSweep(CLI::App& split, Context& context, const char* name, const char* what,
              const char* limits) {
  auto options = std::make_shared<SplitOptions>();
  options->limits = limits;
  CLI::App* mode = addMeasuring(split, name, what, options);
  mode->add_option("--limits", options->limits, "The limits: values, lists 1,2, ranges a:b:step")
      ->capture_default_str();
  mode->add_option("--budget", options->budget, "At most so much: 10m, 200trials");
  mode->add_flag("--force-rerun", options->forceRerun, "Also what was measured before");
  mode->add_option("--method", options->method,
                   "attribute: the compiler as it is; rebuild: one built for every limit")
      ->check(CLI::IsMember({"attribute", "rebuild"}))
      ->capture_default_str();
  mode->add_option("--iree-source", options->ireeSource, "A checkout of IREE, to rebuild from");
  mode->add_option("--iree-build", options->ireeBuild, "Its build folder");
  mode->add_option("--build-command", options->buildCommand,
                   "What builds it there; cmake --build . --target iree-compile when not given");
  mode->footer(fmt::format(
      "Examples:\n"
      "  hone split {0} convolutions.txt\n"
      "  hone split {0} convolutions.txt --type f32        bf16 problems where bf16 is slow\n"
      "  hone split {0} convolutions.txt --limits 1,2,4,8,16 --limit 10\n"
      "  hone split {0} convolutions.txt --executor slurm --nodes 8 --partition batch\n"
      "Exit code 1: the recommended code is proven to slow a shape down, or a result was wrong.",
      name));
  mode->callback([&context, options] {
    context.action = [&context, options] { return splitSweep(context, *options); };
  });
}

void addTestOptimized(CLI::App& split, Context& context) {
  auto options = std::make_shared<SplitOptions>();
  CLI::App* mode = addMeasuring(split, "test-optimized",
                                "Measure the recommendation of an earlier analysis", options);
  mode->footer(
      "Example:\n"
      "  hone split test-optimized convolutions.txt         reads convolutions_results");
  mode->callback([&context, options] {
    context.action = [&context, options] { return splitTestOptimized(context, *options); };
  });
}

void addAnalyze(CLI::App& split, Context& context) {
  auto folder = std::make_shared<std::string>();
  CLI::App* mode = split.add_subcommand("analyze", "Analyse results that exist; measures nothing");
  mode->add_option("RESULTS", *folder,
                   "A folder with limit_<L>_<name>.csv files, also of other tools; the only "
                   "*_results here when not given");
  mode->footer(
      "Examples:\n"
      "  hone split analyze convolutions_results\n"
      "  hone split analyze results_of_a_gpu               of the BOO driver, on another machine");
  mode->callback([&context, folder] {
    context.action = [&context, folder] { return splitAnalyze(context, *folder); };
  });
}

}  // namespace

void addSplitVerb(CLI::App& app, Context& context) {
  CLI::App* split = app.add_subcommand(
      "split", "Find how far reductions should be split, as code for the compiler");
  addSweep(*split, context, "quick", "A few limits, then analysis and validation", kQuickLimits);
  addSweep(*split, context, "full", "All limits, then analysis and validation", kFullLimits);
  addAnalyze(*split, context);
  addTestOptimized(*split, context);
  addSplitApply(*split, context);
  addSplitAnnotate(*split, context);
  split->require_subcommand(1);
  split->footer(
      "Examples:\n"
      "  hone split quick convolutions.txt                 five minutes\n"
      "  hone split full convolutions.txt --type f32       all limits\n"
      "  hone split apply --source SetSplitReductionSizes.cpp --results convolutions_results\n"
      "Results go to <name of the workload>_results; comprehensive_analysis.txt there has all.");
}

}  // namespace hone::app
