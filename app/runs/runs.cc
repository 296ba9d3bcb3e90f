#include "app/runs/runs.h"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/find_run.h"
#include "app/runs/resume.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "report/render/runs.h"
#include "report/render/table.h"
#include "store/export.h"
#include "store/store.h"

namespace hone::app {
namespace {

using store::Store;

struct RunsCommandOptions {
  std::int64_t limit = 20;
  std::string run;  ///< a number, or "last"
  bool csv = false;
  std::string output;
  bool trusted = false;
};

Result<int> print(std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!whole || std::fflush(stdout) != 0) {
    return errnoError("cannot write to standard output");
  }
  return 0;
}

Result<int> printJson(const nlohmann::json& json) { return print(jsonText(json, 2) + "\n"); }

Result<int> list(const Context& context, std::int64_t limit) {
  HONE_CHECK(checkStoreNamed(context));
  std::vector<store::RunLine> runs;
  report::RunResults results;
  std::error_code code;
  if (std::filesystem::exists(context.store, code)) {
    const Store store = HONE_TRY(openStore(context));
    runs = HONE_TRY(store.listRuns(limit));
    HONE_CHECK(results.load(store, runs));
  }
  if (context.json) {
    return printJson(report::runListJson(runs, results));
  }
  if (runs.empty()) {
    return print(
        fmt::format("no runs yet in {}; start one with `hone bench`\n", context.store.string()));
  }
  return print(report::runListText(runs, results, report::outputWidth()));
}

Result<int> show(const Context& context, const std::string& name) {
  const Store store = HONE_TRY(openStore(context));
  const store::Run run = HONE_TRY(findRun(store, context, name));
  const auto samples = HONE_TRY(store.samples(run.id));
  const auto trials = HONE_TRY(store.listTrials(run.id));
  const report::RunView view(run, trials, samples);
  return context.json ? printJson(view.json()) : print(view.text(report::outputWidth()));
}

Result<int> exportRun(const Context& context, const RunsCommandOptions& options) {
  if (options.csv == context.json) {
    return userError("expected either --csv or --json");
  }
  const Store store = HONE_TRY(openStore(context));
  const store::Run run = HONE_TRY(findRun(store, context, options.run));
  const std::string text = options.csv
                               ? HONE_TRY(store::exportCsv(store, run.id))
                               : jsonText(HONE_TRY(store::exportJson(store, run.id)), 2) + "\n";
  if (options.output.empty() || options.output == "-") {
    return print(text);
  }
  HONE_CHECK(writeFile(options.output, text));
  return 0;
}

Result<int> resume(Context& context, const RunsCommandOptions& options) {
  const store::Run run = HONE_TRY(findRun(HONE_TRY(openStore(context)), context, options.run));
  if (run.status == store::RunStatus::finished) {
    return userError("run {} is finished: nothing to resume (see `hone runs show {}`)", run.id,
                     run.id);
  }
  if (run.host != hostName() && !options.trusted) {
    return userError(
        "run {} was recorded on {}; use --trust to run its command here if you trust the store: {}",
        run.id, run.host, shortened(join(run.arguments, " "), 100));
  }
  return resumeRun(run, context);
}

CLI::App* addWithRun(CLI::App& runs, const std::string& name, const std::string& what,
                     RunsCommandOptions& options) {
  CLI::App* command = runs.add_subcommand(name, what);
  command->add_option("RUN", options.run, "Run: a number as listed by `hone runs`, or last")
      ->type_name("RUN")
      ->required();
  return command;
}

}  // namespace

void addRunsCommand(CLI::App& app, Context& context) {
  const auto options = std::make_shared<RunsCommandOptions>();
  CLI::App* runs = app.add_subcommand("runs", "List the runs in the store, newest first");
  runs->add_option("--limit", options->limit, "Maximum number of runs to list; 0 for all")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  runs->footer(
      "Examples:\n  hone runs\n  hone runs --limit 0 --json\n  hone runs show 12\n"
      "  hone runs export last --csv -o run.csv");
  runs->require_subcommand(0, 1);
  runs->callback([runs, options, &context] {
    if (runs->get_subcommands().empty()) {
      context.action = [options, &context] { return list(context, options->limit); };
    }
  });

  CLI::App* shown = addWithRun(*runs, "show", "Show a run and its trials", *options);
  shown->footer("Examples:\n  hone runs show last\n  hone runs show 12 --json");
  shown->callback([options, &context] {
    context.action = [=, &context] { return show(context, options->run); };
  });

  CLI::App* exported =
      addWithRun(*runs, "export", "Export a run with all samples as CSV or JSON", *options);
  exported->add_flag("--csv", options->csv, "Write CSV, one row per sample");
  exported->add_flag("--json", context.json, "Write JSON with the run, its trials and samples");
  exported->add_option("-o,--output", options->output, "File to write (default: stdout)")
      ->type_name("FILE");
  exported->footer(
      "Examples:\n  hone runs export 12 --csv -o run12.csv\n"
      "  hone runs export last --json | jq '.trials[].outcome'");
  exported->callback([options, &context] {
    context.action = [=, &context] { return exportRun(context, *options); };
  });

  CLI::App* resumed = addWithRun(*runs, "resume", "Resume an unfinished run", *options);
  resumed->add_flag("--trust", options->trusted, "Run the recorded command of another machine");
  resumed->footer("Examples:\n  hone runs resume 12");
  resumed->callback([options, &context] {
    context.action = [=, &context] { return resume(context, *options); };
  });
}

}  // namespace hone::app
