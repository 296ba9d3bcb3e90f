#include "app/split/split.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/common/seed_option.h"
#include "app/split/split_annotate.h"
#include "app/split/split_merge.h"
#include "app/split/split_source.h"
#include "app/split/split_sweep.h"

namespace hone::app {
namespace {

constexpr const char* kQuickLimits = "1,64,128,256";
constexpr const char* kFullLimits = "1,8,16,32,64,128,256,512,1024,2048";

/// Adds a subcommand that measures.
CLI::App* addMeasuring(CLI::App& split, const char* name, const char* what,
                       const std::shared_ptr<SplitOptions>& options) {
  CLI::App* mode = split.add_subcommand(name, what);
  options->workload.addTo(*mode);
  mode->add_option("--results", options->results,
                   "Results folder (default: <workload>_results, without _conv)")
      ->type_name("DIR");
  addSeedOption(*mode, options->seed);
  options->toolchain.addTo(*mode);
  mode->get_option("--target")
      ->description("Target to compile for, or a list with one per driver: local,rocm:gfx942");
  mode->get_option("--device")
      ->description(
          "Device to run on, or a list with one sweep per driver: local-task,hip://0 "
          "(default: by target)");
  options->cluster.addTo(*mode);
  return mode;
}

/// Adds the options that describe a checkout and its build.
void addBuild(CLI::App& mode, SplitOptions& options, const char* what) {
  mode.add_option("--iree-source", options.ireeSource, what)->type_name("DIR");
  mode.add_option("--iree-build", options.ireeBuild, "Build folder of the checkout")
      ->type_name("DIR");
  mode.add_option("--build-command", options.buildCommand,
                  "Build command (default: cmake --build . --target iree-compile)");
}

void addSweep(CLI::App& split, Context& context, const char* name, const char* what,
              const char* limits) {
  auto options = std::make_shared<SplitOptions>();
  options->limits = limits;
  CLI::App* mode = addMeasuring(split, name, what, options);
  mode->add_option("--limits", options->limits,
                   "Limits to measure: a list 1,2 or a range start:end:step")
      ->capture_default_str();
  mode->add_option("--budget", options->budget,
                   "Limit of time, trials or both: 10m, 200trials, 10m,200trials (default: none)");
  mode->add_flag("--force-rerun", options->forceRerun, "Measure again instead of reusing results");
  mode->add_option("--method", options->method,
                   "Set limits by attribute, or rebuild the compiler per limit")
      ->check(CLI::IsMember({"attribute", "rebuild"}))
      ->capture_default_str();
  addBuild(*mode, *options, "With --method rebuild: the IREE checkout");
  mode->footer(
      fmt::format("Examples:\n"
                  "  hone split {0} convolutions.txt\n"
                  "  hone split {0} convolutions.txt --type f32        run all problems as f32\n"
                  "  hone split {0} convolutions.txt --limits 1,2,4,8,16 --limit 10\n"
                  "  hone split {0} convolutions.txt --device local-task,vulkan\n"
                  "  hone split {0} gemms.txt --target rocm:gfx942 --device hip://0,hip://1\n"
                  "  hone split {0} convolutions.txt --executor slurm --nodes 8 --partition batch\n"
                  "Exit code 1: the recommended code slows down a shape, or a result was wrong.",
                  name));
  mode->callback([&context, options] {
    context.action = [&context, options] { return splitSweep(context, *options); };
  });
}

void addTestOptimized(CLI::App& split, Context& context) {
  auto options = std::make_shared<SplitOptions>();
  CLI::App* mode = addMeasuring(split, "test-optimized",
                                "Validate the code that an earlier analysis recommended", options);
  addBuild(*mode, *options, "IREE checkout: patch it, build it, and validate the built compiler");
  mode->footer(
      "Examples:\n"
      "  hone split test-optimized convolutions.txt         reads convolutions_results\n"
      "  hone split test-optimized gemms.txt --iree-source iree --iree-build build\n"
      "Without --iree-source, the splits are set by attribute. The checkout is restored.\n"
      "Exit code 1: the recommended code slows down a shape, or a result was wrong.");
  mode->callback([&context, options] {
    context.action = [&context, options] { return splitTestOptimized(context, *options); };
  });
}

void addAnalyze(CLI::App& split, Context& context) {
  auto folder = std::make_shared<std::string>();
  CLI::App* mode = split.add_subcommand("analyze", "Analyze a results folder without measuring");
  mode->add_option("RESULTS", *folder, "Results folder (default: the only *_results folder)")
      ->type_name("DIR");
  mode->footer(
      "Examples:\n"
      "  hone split analyze convolutions_results\n"
      "  hone split analyze gpu_results\n"
      "The folder contains files limit_<L>_<name>.csv, written by hone or by another tool.");
  mode->callback([&context, folder] {
    context.action = [&context, folder] { return splitAnalyze(context, *folder); };
  });
}

}  // namespace

void addSplitCommand(CLI::App& app, Context& context) {
  CLI::App* split =
      app.add_subcommand("split", "Find thresholds for the compiler's split reduction");
  addSweep(*split, context, "quick", "Measure a few limits, recommend code and validate it",
           kQuickLimits);
  addSweep(*split, context, "full", "Measure many limits, recommend code and validate it",
           kFullLimits);
  addAnalyze(*split, context);
  addSplitMerge(*split, context);
  addTestOptimized(*split, context);
  addSplitApply(*split, context);
  addSplitAnnotate(*split, context);
  split->require_subcommand(1);
  split->footer(
      "Examples:\n"
      "  hone split quick convolutions.txt                 4 limits\n"
      "  hone split full convolutions.txt --type f32       10 limits\n"
      "  hone split merge mi300_results mi250_results      one ladder for both\n"
      "  hone split apply --source SetSplitReductionSizes.cpp -o split.patch\n"
      "  hone split annotate model.mlir -o faster.mlir\n"
      "A limit is the maximum number of parts into which the compiler splits a reduction.\n"
      "Results of x.txt and x_conv.txt are written to x_results; read "
      "comprehensive_analysis.txt there.");
}

}  // namespace hone::app
