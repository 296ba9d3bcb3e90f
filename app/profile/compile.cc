#include "app/profile/compile.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/common/toolchain.h"
#include "app/profile/generated_folder.h"
#include "base/text/json.h"
#include "engine/machine_lock.h"
#include "profile/build.h"

namespace hone::app {
namespace {

struct CompileOptions {
  DispatchOptions dispatch;
  bool force = false;
  ToolchainOptions toolchain;
};

void printFailures(const std::vector<profile::Built>& all) {
  for (const profile::Built& built : all) {
    for (const profile::BuiltDispatch& dispatch : built.dispatches) {
      if (dispatch.module.empty()) {
        fmt::print("failed: {}: {}\n", dispatch.name, dispatch.report.message);
      }
    }
  }
}

Result<int> compile(const Context& context, CompileOptions options) {
  const auto filter = HONE_TRY(profile::DispatchFilter::from(options.dispatch.dispatches));
  const auto chosen = HONE_TRY(chooseGenerated(options.dispatch.folder, filter, options.toolchain));
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  Progress progress(context.quiet || context.json);
  std::vector<profile::Built> all;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    all = HONE_TRY(profile::build(toolchain.compiler, chosen,
                                  {toolchain.target.flags, options.force}, progress));
  }
  progress.finish();
  std::size_t dispatches = 0;
  std::size_t failed = 0;
  std::size_t cached = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const profile::Built& built : all) {
    for (const profile::BuiltDispatch& dispatch : built.dispatches) {
      ++dispatches;
      failed += dispatch.module.empty() ? 1 : 0;
      cached += dispatch.cached ? 1 : 0;
      list.push_back({{"dispatch", dispatch.name},
                      {"compiled", !dispatch.module.empty()},
                      {"cached", dispatch.cached},
                      {"message", dispatch.report.message}});
    }
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(list, 2));
  } else {
    printFailures(all);
    fmt::print("{} of {} dispatches compiled for {}, {} cached; in {}/generated\n",
               dispatches - failed, dispatches, toolchain.target.name, cached,
               options.dispatch.folder);
    fmt::print("{}", toolchain.device ? "next: hone profile\n"
                                      : "no device found to run them on: compile-only\n");
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace

void addCompileCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command =
      app.add_subcommand("compile", "Compile the dispatches written by `hone generate`");
  options->dispatch.addTo(*command, context);
  command->add_flag("--force", options->force, "Also recompile dispatches that are up to date");
  options->toolchain.addCompileOptionsTo(*command);
  command->footer(
      "Examples:\n"
      "  hone compile\n"
      "  hone compile --dispatches='matmul_128x*' --force\n"
      "Exit code 1: a dispatch failed to compile.");
  command->callback([&context, options, command] {
    options->toolchain.targetGiven = command->count("--target") > 0;
    context.action = [&context, options] { return compile(context, *options); };
  });
}

}  // namespace hone::app
