#include "app/profile/generate.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/common/operation_options.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"
#include "profile/dispatch_filter.h"

namespace hone::app {
namespace {

struct GenerateCommandOptions {
  OperationOptions operations;
  GenerateOptions generate;
  ToolchainOptions toolchain;
};

/// Returns the default of --configs: all for GPUs with tensor cores, as in IREE's dispatch
/// profiler, else the compiler's default.
std::string defaultConfigs(const iree::Target& target) {
  return target.name.starts_with("cuda") || target.name.starts_with("rocm") ? "all" : "default";
}

Result<std::vector<profile::TuningConfig>> configsFor(Toolchain& toolchain,
                                                      const profile::Operation& operation,
                                                      const std::string& wanted) {
  if (!operation.splitKSlices.empty()) {
    return profile::splitKConfigs(operation);
  }
  if (wanted == "default") {
    return std::vector{profile::defaultConfig()};
  }
  auto configs =
      HONE_TRY(profile::tuningConfigs(toolchain.compiler, toolchain.target, operation.problem));
  if (wanted == "all") {
    return configs;
  }
  const auto filter = HONE_TRY(profile::DispatchFilter::from(wanted, "--configs"));
  std::erase_if(configs, [&](const profile::TuningConfig& config) {
    return !filter.takes("", "", config.name);
  });
  return configs;
}

Result<int> generate(const Context& context, const GenerateCommandOptions& options) {
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  std::vector<std::string> warnings;
  const auto operations = options.operations.given()
                              ? HONE_TRY(operationsFrom(options.operations, toolchain.compiler,
                                                        toolchain.target, warnings))
                              : usualOperations(toolchain.target.name);
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "skipped: {}\n", warning);
  }
  const auto all =
      HONE_TRY(generateAll(toolchain, operations, options.generate, [&](const std::string& line) {
        if (!context.json) {
          fmt::print("{}\n", line);
        }
      }));
  std::size_t dispatches = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const profile::Generated& one : all) {
    dispatches += one.configs.size();
    nlohmann::json names = nlohmann::json::array();
    for (const profile::TuningConfig& config : one.configs) {
      names.push_back(one.dispatchName(config));
    }
    list.push_back({{"operation", one.operation.name()},
                    {"file", one.file(".mlir").string()},
                    {"dispatches", names}});
  }
  if (context.json) {
    fmt::print("{}\n", list.dump(2));
  } else {
    fmt::print("{} operations, {} dispatches\nnext: hone compile{}{}\n", all.size(), dispatches,
               options.generate.dispatch.folder == "." ? "" : " --generated-dir ",
               options.generate.dispatch.folder == "." ? "" : options.generate.dispatch.folder);
  }
  return 0;
}

}  // namespace

void GenerateOptions::addTo(CLI::App& command, Context& context) {
  dispatch.addTo(command, context);
  command.add_option(
      "--configs", configs,
      "Tuning configurations: default, all, or REGEX,REGEX (default: all for CUDA and ROCm, else "
      "default)");
}

Result<std::vector<profile::Generated>> generateAll(
    Toolchain& toolchain, const std::vector<profile::Operation>& operations,
    const GenerateOptions& options, const std::function<void(const std::string&)>& report) {
  const std::string wanted =
      options.configs.empty() ? defaultConfigs(toolchain.target) : options.configs;
  const auto filter = HONE_TRY(profile::DispatchFilter::from(options.dispatch.dispatches));
  std::vector<std::string> names;
  std::vector<profile::Generated> all;
  for (const profile::Operation& operation : operations) {
    if (interrupted()) {
      return interruptedError();
    }
    profile::Generated generated;
    generated.operation = operation;
    generated.target = toolchain.target.name;
    generated.configs = HONE_TRY(configsFor(toolchain, operation, wanted));
    generated.folder = profile::folderFor(options.dispatch.folder, operation);
    if (generated.configs.empty()) {
      report(
          fmt::format("skipped: {} has no configuration matching '{}'", operation.name(), wanted));
      continue;
    }
    std::erase_if(generated.configs, [&](const profile::TuningConfig& config) {
      names.push_back(generated.dispatchName(config));
      return !filter.takes(operation.kind(), operation.name(), names.back());
    });
    if (generated.configs.empty()) {
      continue;
    }
    HONE_CHECK(profile::writeGenerated(generated));
    report(fmt::format("[Generating]: {}", generated.file(".mlir").string()));
    for (const profile::TuningConfig& config : generated.configs) {
      report(fmt::format("    Emitting tuning configuration : {}", config.name));
    }
    all.push_back(std::move(generated));
  }
  if (all.empty() && !names.empty()) {
    return noDispatchMatches(filter, names);
  }
  if (all.empty()) {
    return userError("no configuration matches; use --configs all to generate all");
  }
  return all;
}

void addGenerateCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<GenerateCommandOptions>();
  CLI::App* command =
      app.add_subcommand("generate", "Write operations as MLIR with tuning configurations");
  options->operations.addTo(*command);
  options->generate.addTo(*command, context);
  options->toolchain.addCompileOptionsTo(*command);
  command->footer(
      "Examples:\n"
      "  hone generate                                     a few operations per kind\n"
      "  hone generate --problem-m 768 --problem-n 512 --problem-k 1024 --configs all\n"
      "  hone generate --problem-m 64:1024:128 --problem-n 64:1024:128 --problem-k 4096\n"
      "  hone generate --kind conv2d --image 56 --filter 1,3 --direction fwd,wrw\n"
      "  hone generate --target cuda:sm_80 --problem-m 768      f16 and f32\n"
      "  hone generate workload.txt --limit 8");
  command->callback([&context, options] {
    context.action = [&context, options] { return generate(context, *options); };
  });
}

}  // namespace hone::app
