#include <CLI/CLI.hpp>
#include <cstdio>
#include <system_error>

#include "app/bench/bench.h"
#include "app/common/context.h"
#include "app/completions/completions.h"
#include "app/doctor/doctor.h"
#include "app/kernel/kernel.h"
#include "app/kernel/kernel_worker.h"
#include "app/profile/compile.h"
#include "app/profile/generate.h"
#include "app/profile/profile.h"
#include "app/profile/time_library.h"
#include "app/report/compare.h"
#include "app/report/report.h"
#include "app/report/serve.h"
#include "app/runs/runs.h"
#include "app/spec/spec.h"
#include "app/split/split.h"
#include "app/tune/tune.h"
#include "app/worker/worker.h"
#include "app/workload/workload.h"
#include "base/process/interrupt.h"
#include "store/store.h"

namespace hone::app {
namespace {

int exitCode(const Error& error) {
  switch (error.fault) {
    case Fault::user:
      return 2;
    case Fault::machine:
      return 3;
    case Fault::interrupted:
      return 130;
  }
  return 2;
}

/// Describes a parse error, naming the unknown command if there is one; CLI11 does not.
std::string describeParseError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  std::string command;
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    command += verb->get_name() + " ";
  }
  const bool needsSubcommand = verb->get_require_subcommand_min() > 0;
  const auto left = app.remaining(true);
  if (needsSubcommand && !left.empty() && !left.front().starts_with("-")) {
    return fmt::format("unknown command '{}{}'", command, left.front());
  }
  return error.what();
}

/// Runs the command. Fails if its output cannot be written.
Result<int> perform(const Context& context) {
  try {
    const int code = HONE_TRY(context.action());
    if (std::fflush(stdout) != 0) {
      return errnoError("cannot write to standard output");
    }
    return code;
  } catch (const std::system_error& error) {  // thrown by fmt when a write fails
    return machineError("{}", error.what());
  }
}

void addGlobalOptions(CLI::App& app, Context& context) {
  app.add_option("--store", context.store, "Database of all runs")
      ->envname("HONE_STORE")
      ->take_last()
      ->default_val(store::Store::defaultFile().string());
  app.add_option("--iree", context.ireeFolder, "Virtual environment or folder with IREE");
  app.add_flag("--json", context.json, "Print results as JSON");
  app.add_flag("-q,--quiet", context.quiet, "Do not print progress");
  app.set_version_flag("--version", HONE_VERSION);
}

}  // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  return runCommandLine(arguments, nullptr);
}

int runCommandLine(const std::vector<std::string>& arguments, const Context* overrides) {
  CLI::App app("hone profiles and tunes programs compiled with IREE.", "hone");
  app.footer(
      "Examples:\n"
      "  hone doctor\n"
      "  hone bench model.mlir\n"
      "  hone bench a.mlir --vs b.mlir\n"
      "  hone profile --problem-m 512 --problem-n 512 --problem-k 64:1024:64\n"
      "  hone runs\n"
      "Exit codes: 0 success, 1 negative result, 2 invalid input, 3 machine error,\n"
      "130 interrupted");
  app.require_subcommand(1);
  app.fallthrough();
  Context context;
  context.arguments = arguments;
  addGlobalOptions(app, context);
  addDoctorCommand(app, context);
  addBenchCommand(app, context);
  addProfileCommand(app, context);
  addGenerateCommand(app, context);
  addCompileCommand(app, context);
  addSplitCommand(app, context);
  addTuneCommand(app, context);
  addSpecCommand(app, context);
  addKernelCommand(app, context);
  addWorkloadCommand(app, context);
  addWorkerCommand(app, context);
  addRunsCommand(app, context);
  addReportCommand(app, context);
  addCompareCommand(app, context);
  addServeCommand(app, context);
  addCompletionsCommand(app, context);
  addManCommand(app, context);
  addTimeLibraryCommand(app, context);
  addKernelWorkerCommand(app, context);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hone: {} (see hone --help)\n", describeParseError(app, error));
    return 2;
  }
  if (overrides != nullptr) {
    context.store = overrides->store;
    context.ireeFolder = overrides->ireeFolder.empty() ? context.ireeFolder : overrides->ireeFolder;
    context.json = context.json || overrides->json;
    context.quiet = context.quiet || overrides->quiet;
    context.resumed = overrides->resumed;
  }
  const Result<int> done = perform(context);
  if (!done) {
    fmt::print(stderr, "hone: {}\n", done.error().message);
    return exitCode(done.error());
  }
  return *done;
}

}  // namespace hone::app

int main(int argc, char** argv) {
  try {
    hone::catchInterrupts();
    return hone::app::runCommandLine({argv + 1, argv + argc});
  } catch (const std::exception& exception) {
    std::fputs("hone: internal error: ", stderr);
    std::fputs(exception.what(), stderr);
    std::fputs(" (please report it)\n", stderr);
    return 3;
  }
}
