#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

#include "app/bench/bench.h"
#include "app/common/context.h"
#include "app/common/help_page.h"
#include "app/common/output_check.h"
#include "app/common/parse_error.h"
#include "app/completions/completions.h"
#include "app/doctor/doctor.h"
#include "app/kernel/kernel.h"
#include "app/model/run_model.h"
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
#include "app/verify/verify.h"
#include "app/worker/worker.h"
#include "app/workload/workload.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"
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

/// Runs the command. Fails if its output cannot be written.
Result<int> perform(const CLI::App& app, const Context& context) {
  try {
    HONE_CHECK(checkOutputs(app, context));
    const int code = HONE_TRY(context.action());
    if (std::fflush(stdout) != 0) {
      return errnoError("cannot write to standard output");
    }
    return code;
  } catch (const std::system_error& error) {  // thrown by fmt when a write fails
    return machineError("{}", error.what());
  } catch (const std::length_error&) {
    return machineError("out of memory; use smaller inputs or a machine with more memory");
  } catch (const std::bad_alloc&) {
    return machineError("out of memory; use smaller inputs or a machine with more memory");
  }
}

void addGlobalOptions(CLI::App& app, Context& context) {
  app.add_option("--store", context.store, "Database of all runs")
      ->type_name("FILE")
      ->envname("HONE_STORE")
      ->take_last()
      ->default_val(store::Store::defaultFile().value_or("").string());
  app.add_option("--iree", context.ireeFolder,
                 "Virtual environment or folder with IREE (default: HONE_IREE, the active "
                 "environment, or .venv)")
      ->type_name("DIR");
  app.add_flag("--json", context.json, "Print results as JSON");
  app.add_flag("-q,--quiet", context.quiet, "Do not print progress");
  app.set_version_flag("--version", HONE_VERSION, "Print the version and exit");
}

/// Adds all commands, in the order of the help.
void addCommands(CLI::App& app, Context& context) {
  using Add = void (*)(CLI::App&, Context&);
  const std::vector<std::pair<const char*, std::vector<Add>>> groups = {
      {"Optimize", {addTuneCommand, addKernelCommand, addSplitCommand}},
      {"Measure", {addBenchCommand, addProfileCommand, addGenerateCommand, addCompileCommand}},
      {"Inspect",
       {addRunsCommand, addReportCommand, addCompareCommand, addServeCommand, addSpecCommand,
        addVerifyCommand, addWorkloadCommand}},
      {"Manage", {addDoctorCommand, addCompletionsCommand, addManCommand, addWorkerCommand}}};
  for (const auto& [group, commands] : groups) {
    for (const Add add : commands) {
      add(app, context);
      app.get_subcommands([](CLI::App*) { return true; }).back()->group(group);
    }
  }
  addTimeLibraryCommand(app, context);
  addRunModelCommand(app, context);
}

}  // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  return runCommandLine(arguments, nullptr);
}

int runCommandLine(const std::vector<std::string>& arguments, const Context* overrides) {
  CLI::App app("Make programs compiled with IREE faster, and prove it", "hone");
  app.footer(
      "Examples:\n"
      "  hone tune model.mlir -o spec.mlir\n"
      "  hone bench a.mlir --vs b.mlir\n"
      "  hone profile model.mlir\n"
      "  hone kernel optimize -k softmax.cc\n"
      "  hone report last -o report.html\n"
      "`hone COMMAND --help` describes a command.\n"
      "All exit codes: 0 success, 1 negative result, 2 invalid input, 3 machine error, "
      "130 interrupted.");
  app.require_subcommand(1);
  app.fallthrough();
  Context context;
  context.arguments = arguments;
  addGlobalOptions(app, context);
  addCommands(app, context);
  useHelpPages(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hone: {}\n", printable(describeParseError(app, error)));
    return 2;
  }
  if (overrides != nullptr) {
    context.store = overrides->store;
    context.ireeFolder = overrides->ireeFolder.empty() ? context.ireeFolder : overrides->ireeFolder;
    context.json = context.json || overrides->json;
    context.quiet = context.quiet || overrides->quiet;
    context.resumed = overrides->resumed;
  }
  const Result<int> done = perform(app, context);
  if (!done) {
    std::string line = printable(done.error().message);
    std::ranges::replace(line, '\n', ' ');
    fmt::print(stderr, "hone: {}\n", line);
    return exitCode(done.error());
  }
  return *done;
}

}  // namespace hone::app

namespace {

/// Returns false, with a message, if the stack limit (ulimit -s) is too small to run.
bool hasStack() {
  constexpr rlim_t kMinBytes = rlim_t{1} << 20U;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kMinBytes) {
    return true;
  }
  fmt::print(stderr, "hone: stack limit too small ({} KiB); use ulimit -s 1024 or more\n",
             limit.rlim_cur / 1024);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (!hasStack()) {
    return 3;
  }
  try {
    hone::catchInterrupts();
    std::signal(SIGXFSZ, SIG_IGN);  // writing fails with EFBIG instead
    return hone::app::runCommandLine({argv + 1, argv + argc});
  } catch (const std::exception& exception) {
    std::fputs("hone: internal error: ", stderr);
    std::fputs(exception.what(), stderr);
    std::fputs(" (please report it)\n", stderr);
    return 3;
  }
}
