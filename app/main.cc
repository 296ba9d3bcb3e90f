#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <system_error>

#include "app/bench/bench.h"
#include "app/common/command_tree.h"
#include "app/common/context.h"
#include "app/common/help_page.h"
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

/// Returns "; did you mean …?" for the name nearest to `word`, or "".
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest(word, names);
  return name ? fmt::format("; did you mean `{}`?", *name) : "";
}

/// Returns the names of the commands or of the options of `help`.
std::vector<std::string> namesIn(const CommandHelp& help, bool options) {
  std::vector<std::string> names;
  for (const CommandHelp& command : help.commands) {
    if (!options) {
      names.push_back(command.name);
    }
  }
  for (const OptionHelp& option : help.options) {
    if (options && !option.isArgument) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

/// Describes a parse error with the command that it is about. Names an unknown command or option
/// and suggests the nearest one; CLI11 does neither.
std::string describeParseError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  std::string command = app.get_name();
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    command += " " + verb->get_name();
  }
  const std::string see = fmt::format(" (see {} --help)", command);
  const auto left = app.remaining(true);
  if (left.empty() || dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    const bool needsSubcommand = verb->get_require_subcommand_min() > 0;
    if (!needsSubcommand || left.empty() || left.front().starts_with("-")) {
      return error.what() + see;
    }
  }
  const std::string& word = left.front();
  if (word.starts_with("-")) {
    std::vector<std::string> names = namesIn(describeCommands(*verb), true);
    std::ranges::copy(namesIn(describeCommands(app), true), std::back_inserter(names));
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}{}", name, suggestion(name, names), see);
  }
  if (verb->get_require_subcommand_min() > 0) {
    return fmt::format("unknown command '{}'{}{}", word,
                       suggestion(word, namesIn(describeCommands(*verb), false)), see);
  }
  return fmt::format("unexpected argument '{}'{}", word, see);
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

/// Adds all commands, in the order of the help.
void addVerbs(CLI::App& app, Context& context) {
  using Add = void (*)(CLI::App&, Context&);
  const std::vector<std::pair<const char*, std::vector<Add>>> groups = {
      {"Optimize", {addTuneVerb, addKernelVerb, addSplitVerb}},
      {"Measure", {addBenchVerb, addProfileVerb, addGenerateVerb, addCompileVerb}},
      {"Inspect",
       {addRunsVerb, addReportVerb, addCompareVerb, addServeVerb, addSpecVerb, addWorkloadVerb}},
      {"Manage", {addDoctorVerb, addCompletionsVerb, addManVerb, addWorkerVerb}}};
  for (const auto& [group, verbs] : groups) {
    for (const Add add : verbs) {
      add(app, context);
      app.get_subcommands([](CLI::App*) { return true; }).back()->group(group);
    }
  }
  addTimeLibraryVerb(app, context);
  addKernelWorkerVerb(app, context);
}

}  // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  return runCommandLine(arguments, nullptr);
}

int runCommandLine(const std::vector<std::string>& arguments, const Context* overrides) {
  CLI::App app("Make programs compiled with IREE faster, and prove it.", "hone");
  app.footer(
      "Examples:\n"
      "  hone tune model.mlir -o spec.mlir\n"
      "  hone bench a.mlir --vs b.mlir\n"
      "  hone profile model.mlir\n"
      "  hone kernel optimize -k softmax.cc\n"
      "  hone report last -o report.html\n"
      "Exit codes: 0 success, 1 negative result, 2 invalid input, 3 machine error,\n"
      "130 interrupted. `hone COMMAND --help` describes a command.");
  app.require_subcommand(1);
  app.fallthrough();
  Context context;
  context.arguments = arguments;
  addGlobalOptions(app, context);
  addVerbs(app, context);
  useHelpPages(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hone: {}\n", describeParseError(app, error));
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
