#include "app/workload/workload.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/common/workload_file.h"
#include "base/file.h"
#include "base/text/json.h"
#include "model/problem/profiler_name.h"
#include "model/workload/miopen.h"
#include "model/workload/workload.h"
#include "report/render/table.h"
#include "report/render/workload.h"
#include "split/sweep/problem_reduction.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct WorkloadCommandOptions {
  std::string file;
  std::int64_t count = 0;
  std::string output;
  bool strict = false;
};

std::string linesText(std::size_t count) {
  return count == 1 ? "1 line" : fmt::format("{} lines", count);
}

/// Reports the bad lines. Fails with --strict if there is one, and always if the file has no
/// problem.
Result<void> reportBadLines(const WorkloadCommandOptions& options, const WorkloadFile& file) {
  const std::vector<model::BadLine>& bad = file.workload.badLines;
  if (options.strict && !bad.empty()) {
    return std::unexpected(bad.front().error);
  }
  std::string text;
  for (const model::BadLine& one : bad) {
    text += one.error.message + "\n";
  }
  fmt::print(stderr, "{}", text);
  if (!file.workload.entries.empty()) {
    return {};
  }
  if (!bad.empty()) {
    return userError("{}: no valid line found; fix the {} listed above", options.file,
                     linesText(bad.size()));
  }
  return userError("{} {}; expected one command per line, e.g. gemm -m 128 -n 64 -k 1024",
                   options.file,
                   file.lines.empty() ? "is empty" : "has only blank lines and comments");
}

void printBadLineCount(const WorkloadCommandOptions& options, const WorkloadFile& file) {
  if (const std::size_t count = file.workload.badLines.size(); count > 0) {
    fmt::print(stderr, "{}: skipped {}; use --strict to fail instead\n", options.file,
               linesText(count));
  }
}

Result<void> makeFolderFor(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code)) {
    return userError("{} is a file, not a folder", folder.string());
  }
  return folder.empty() ? Result<void>() : makeFolder(folder);
}

Result<int> show(const Context& context, const WorkloadCommandOptions& options) {
  const WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  HONE_CHECK(reportBadLines(options, file));
  if (context.json) {
    nlohmann::json json = report::workloadJson(file.workload);
    json["file"] = options.file;
    fmt::print("{}\n", jsonText(json, 2));
  } else {
    fmt::print("{}", report::workloadText(file.workload.entries, report::outputWidth()));
  }
  printBadLineCount(options, file);
  return 0;
}

Result<void> writePart(const Context& context, const WorkloadCommandOptions& options,
                       const WorkloadPart& part) {
  std::error_code code;
  if (fs::equivalent(options.file, options.output, code)) {
    return userError("{} would be overwritten; use -o to write another file", options.file);
  }
  HONE_CHECK(makeFolderFor(fs::path(options.output).parent_path()));
  HONE_CHECK(writeFile(options.output, part.text));
  const nlohmann::json json = {{"file", options.output}, {"lines", part.lines}};
  fmt::print("{}\n", context.json ? jsonText(json, 2)
                                  : fmt::format("{}: {}", options.output, linesText(part.lines)));
  return {};
}

Result<int> head(const Context& context, const WorkloadCommandOptions& options) {
  WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  cutAfter(file, options.count);
  HONE_CHECK(reportBadLines(options, file));
  const WorkloadPart part = selectLines(file, [](const FileLine&) { return true; });
  if (options.output.empty() || options.output == "-") {
    fmt::print("{}", part.text);
  } else {
    HONE_CHECK(writePart(context, options, part));
  }
  if (std::cmp_less(part.lines, options.count)) {
    fmt::print(stderr, "{} has only {} with a problem\n", options.file, linesText(part.lines));
  }
  printBadLineCount(options, file);
  return 0;
}

/// Returns true for driver commands. Other tools that read workloads do not accept names.
bool isCommand(const FileLine& line) {
  return !std::holds_alternative<model::Attention>(*line.problem) &&
         !model::extractCommand(line.text).contains('_');
}

/// Returns true if the compiler's split reduction treats a problem of the line as a convolution.
bool isConvolution(const FileLine& line) {
  return std::any_of(line.problems.begin(), line.problems.end(), [](const model::Problem& problem) {
    return split::decideKind(problem) == model::ReductionKind::convolution;
  });
}

void reportSkipped(const WorkloadCommandOptions& options, const WorkloadFile& file) {
  std::size_t number = 0;
  for (const FileLine& line : file.lines) {
    ++number;
    if (!line.problem || isCommand(line)) {
      continue;
    }
    const std::string command = model::formatCommandLine(*line.problem);
    const bool hasCommand = command != model::profilerName(*line.problem);
    fmt::print(stderr, "{}:{}: skipped '{}': not a conv or gemm command; {}\n", options.file,
               number, model::extractCommand(line.text),
               hasCommand ? fmt::format("use {}", command) : "hone profile accepts it");
  }
}

/// Writes the part unless it is empty, and prints the result. Returns it as JSON.
Result<nlohmann::json> writeKind(const Context& context, const fs::path& out, std::string_view kind,
                                 const WorkloadPart& part) {
  std::string what = linesText(part.lines);
  if (part.lines == 0) {
    std::error_code code;
    what = fs::exists(out, code) ? "no lines; existing file kept" : "no lines; not written";
  } else {
    HONE_CHECK(writeFile(out, part.text));
  }
  if (!context.json) {
    fmt::print("{}: {}\n", out.string(), what);
  }
  return nlohmann::json{{"kind", kind}, {"file", out.string()}, {"lines", part.lines}};
}

Result<int> splitByKind(const Context& context, const WorkloadCommandOptions& options) {
  const WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  HONE_CHECK(reportBadLines(options, file));
  reportSkipped(options, file);
  const auto collectLines = [&](bool conv) {
    return selectLines(
        file, [&](const FileLine& line) { return isCommand(line) && isConvolution(line) == conv; });
  };
  const WorkloadPart convs = collectLines(true);
  const WorkloadPart matmuls = collectLines(false);
  if (convs.lines + matmuls.lines == 0) {
    return userError("{}: no conv or gemm command found", options.file);
  }
  const fs::path path = options.file;
  const fs::path folder = options.output.empty() ? path.parent_path() : fs::path(options.output);
  HONE_CHECK(makeFolderFor(folder));
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [kind, part] : {std::pair("conv", &convs), std::pair("matmul", &matmuls)}) {
    const fs::path out = folder / fmt::format("{}_{}.txt", path.stem().string(), kind);
    json.push_back(HONE_TRY(writeKind(context, out, kind, *part)));
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(json, 2));
  }
  printBadLineCount(options, file);
  return 0;
}

CLI::App* addWithFile(CLI::App& workload, const std::string& name, const std::string& what,
                      WorkloadCommandOptions& options) {
  CLI::App* command = workload.add_subcommand(name, what);
  command
      ->add_option("FILE", options.file, "Workload: MIOpen or BOO commands, or names, one per line")
      ->required();
  return command;
}

void addCommon(CLI::App& command, Context& context,
               const std::shared_ptr<WorkloadCommandOptions>& options,
               Result<int> (*action)(const Context&, const WorkloadCommandOptions&)) {
  command.add_flag("--strict", options->strict, "Fail on the first invalid line");
  command.add_flag("--json", context.json, "Print results as JSON");
  command.callback([options, action, &context] {
    context.action = [options, action, &context] { return action(context, *options); };
  });
}

}  // namespace

void addWorkloadCommand(CLI::App& app, Context& context) {
  const auto options = std::make_shared<WorkloadCommandOptions>();
  CLI::App* workload = app.add_subcommand("workload", "Show, shorten or split a workload file");
  workload->require_subcommand(1);
  workload->footer(
      "Examples:\n  hone workload show shapes.txt\n"
      "  hone workload head shapes.txt 10 -o small.txt\n  hone workload split shapes.txt\n"
      "Invalid lines are reported and skipped; with --strict the exit code is 2.\n"
      "A problem is one matmul, convolution or attention with its sizes.");

  CLI::App* shown =
      addWithFile(*workload, "show", "List the problems with their sizes and FLOPs", *options);
  addCommon(*shown, context, options, show);
  shown->footer(
      "Examples:\n  hone workload show shapes.txt\n  hone workload show shapes.txt --json");

  CLI::App* first =
      addWithFile(*workload, "head", "Print the first N lines with a problem", *options);
  first->add_option("N", options->count, "Number of lines")->required()->check(CLI::PositiveNumber);
  first->add_option("-o,--output", options->output, "File to write (default: stdout)")
      ->type_name("FILE");
  addCommon(*first, context, options, head);
  first->footer(
      "Examples:\n  hone workload head shapes.txt 10\n"
      "  hone workload head shapes.txt 10 -o small.txt");

  CLI::App* parts =
      addWithFile(*workload, "split", "Write convolutions and matmuls to separate files", *options);
  parts->add_option("-o,--output", options->output, "Output folder (default: folder of FILE)")
      ->type_name("DIR");
  addCommon(*parts, context, options, splitByKind);
  parts->footer(
      "Examples:\n  hone workload split shapes.txt         shapes_conv.txt and shapes_matmul.txt\n"
      "  hone workload split shapes.txt -o parts\n"
      "Convolutions that the compiler splits like matmuls (1x1 filters) are matmuls.");
}

}  // namespace hone::app
