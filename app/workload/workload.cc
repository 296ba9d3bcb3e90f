#include "app/workload/workload.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/common/workload_file.h"
#include "base/file.h"
#include "model/problem/seed_name.h"
#include "model/workload/miopen.h"
#include "model/workload/workload.h"
#include "report/render/table.h"
#include "report/render/workload.h"
#include "store/records.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct WorkloadVerbOptions {
  std::string file;
  std::int64_t count = 0;
  std::string output;
  bool strict = false;
};

std::string linesText(std::size_t count) {
  return count == 1 ? "1 line" : fmt::format("{} lines", count);
}

/// Ends the command at a bad line where that is asked for, else names the bad lines; a file without
/// any problem ends it, too.
Result<void> tellBadLines(const WorkloadVerbOptions& options, const WorkloadFile& file) {
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
    return userError("{} has no line that hone can read; correct the {} named above", options.file,
                     linesText(bad.size()));
  }
  return userError("{} {}; write a command on each line, like gemm -m 128 -n 64 -k 1024",
                   options.file,
                   file.lines.empty() ? "is empty" : "has only blank lines and comments");
}

void countBadLines(const WorkloadVerbOptions& options, const WorkloadFile& file) {
  if (const std::size_t count = file.workload.badLines.size(); count > 0) {
    fmt::print(stderr, "{}: {} skipped as bad; with --strict that is an error\n", options.file,
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

Result<int> show(const Context& context, const WorkloadVerbOptions& options) {
  const WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  HONE_CHECK(tellBadLines(options, file));
  if (context.json) {
    nlohmann::json json = report::workloadJson(file.workload);
    json["file"] = options.file;
    fmt::print("{}\n", store::jsonText(json, 2));
  } else {
    fmt::print("{}", report::workloadText(file.workload.entries, report::outputWidth()));
  }
  countBadLines(options, file);
  return 0;
}

Result<void> writePart(const Context& context, const WorkloadVerbOptions& options,
                       const WorkloadPart& part) {
  std::error_code code;
  if (fs::equivalent(options.file, options.output, code)) {
    return userError("{} would be replaced by its first lines; name another file with -o",
                     options.file);
  }
  HONE_CHECK(makeFolderFor(fs::path(options.output).parent_path()));
  HONE_CHECK(writeFile(options.output, part.text));
  const nlohmann::json json = {{"file", options.output}, {"lines", part.lines}};
  fmt::print("{}\n", context.json ? store::jsonText(json, 2)
                                  : fmt::format("{}: {}", options.output, linesText(part.lines)));
  return {};
}

Result<int> head(const Context& context, const WorkloadVerbOptions& options) {
  WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  cutAfter(file, options.count);
  HONE_CHECK(tellBadLines(options, file));
  const WorkloadPart part = partOf(file, [](const FileLine&) { return true; });
  if (options.output.empty() || options.output == "-") {
    fmt::print("{}", part.text);
  } else {
    HONE_CHECK(writePart(context, options, part));
  }
  if (std::cmp_less(part.lines, options.count)) {
    fmt::print(stderr, "{} has only {} with a problem\n", options.file, linesText(part.lines));
  }
  countBadLines(options, file);
  return 0;
}

/// The driver's commands only: other tools that read such files do not know the names.
bool isCommand(const FileLine& line) {
  return !std::holds_alternative<model::Attention>(*line.problem) &&
         !model::commandOf(line.text).contains('_');
}

void tellLeftOut(const WorkloadVerbOptions& options, const WorkloadFile& file) {
  std::size_t number = 0;
  for (const FileLine& line : file.lines) {
    ++number;
    if (!line.problem || isCommand(line)) {
      continue;
    }
    const std::string command = model::commandLineOf(*line.problem);
    const bool hasCommand = command != model::seedName(*line.problem);
    fmt::print(stderr, "{}:{}: '{}' is neither a conv nor a gemm command and is left out; {}\n",
               options.file, number, model::commandOf(line.text),
               hasCommand ? fmt::format("write it as {}", command) : "hone profile takes it");
  }
}

/// Writes the part, unless it is empty, and says so; the same for --json.
Result<nlohmann::json> writeKind(const Context& context, const fs::path& out, std::string_view kind,
                                 const WorkloadPart& part) {
  std::string what = linesText(part.lines);
  if (part.lines == 0) {
    std::error_code code;
    what = fs::exists(out, code) ? "no lines; left as it was" : "no lines; not written";
  } else {
    HONE_CHECK(writeFile(out, part.text));
  }
  if (!context.json) {
    fmt::print("{}: {}\n", out.string(), what);
  }
  return nlohmann::json{{"kind", kind}, {"file", out.string()}, {"lines", part.lines}};
}

Result<int> splitByKind(const Context& context, const WorkloadVerbOptions& options) {
  const WorkloadFile file = HONE_TRY(readWorkloadFile(options.file));
  HONE_CHECK(tellBadLines(options, file));
  tellLeftOut(options, file);
  const auto linesOf = [&](bool conv) {
    return partOf(file, [&](const FileLine& line) {
      return isCommand(line) && std::holds_alternative<model::Conv>(*line.problem) == conv;
    });
  };
  const WorkloadPart convs = linesOf(true);
  const WorkloadPart matmuls = linesOf(false);
  if (convs.lines + matmuls.lines == 0) {
    return userError("{} has neither a conv nor a gemm command", options.file);
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
    fmt::print("{}\n", store::jsonText(json, 2));
  }
  countBadLines(options, file);
  return 0;
}

CLI::App* addWithFile(CLI::App& workload, const std::string& name, const std::string& what,
                      WorkloadVerbOptions& options) {
  CLI::App* verb = workload.add_subcommand(name, what);
  verb->add_option("FILE", options.file, "Commands of MIOpen or BOO, or names, one a line")
      ->required();
  return verb;
}

void addCommon(CLI::App& verb, Context& context,
               const std::shared_ptr<WorkloadVerbOptions>& options,
               Result<int> (*action)(const Context&, const WorkloadVerbOptions&)) {
  verb.add_flag("--strict", options->strict, "A line that cannot be read is an error");
  verb.add_flag("--json", context.json, "Results as JSON on stdout");
  verb.callback([options, action, &context] {
    context.action = [options, action, &context] { return action(context, *options); };
  });
}

}  // namespace

void addWorkloadVerb(CLI::App& app, Context& context) {
  const auto options = std::make_shared<WorkloadVerbOptions>();
  CLI::App* workload = app.add_subcommand(
      "workload", "Look at a file of problems, take its first lines, split it by kind");
  workload->require_subcommand(1);
  workload->footer(
      "Examples:\n  hone workload show shapes.txt\n"
      "  hone workload head shapes.txt 10 -o small.txt\n  hone workload split shapes.txt\n"
      "Lines that cannot be read are named and skipped; with --strict the exit code is 2.");

  CLI::App* shown = addWithFile(*workload, "show",
                                "The problems: kind, output size, reduction size, FLOPs", *options);
  addCommon(*shown, context, options, show);
  shown->footer(
      "Examples:\n  hone workload show shapes.txt\n  hone workload show shapes.txt --json");

  CLI::App* first =
      addWithFile(*workload, "head", "The first lines that ask for a problem", *options);
  first->add_option("N", options->count, "How many lines")->required()->check(CLI::PositiveNumber);
  first->add_option("-o,--output", options->output, "Write to this file, not to stdout")
      ->type_name("FILE");
  addCommon(*first, context, options, head);
  first->footer(
      "Examples:\n  hone workload head shapes.txt 10\n"
      "  hone workload head shapes.txt 10 -o small.txt");

  CLI::App* parts = addWithFile(*workload, "split",
                                "Its convolutions and its matmuls as files of their own", *options);
  parts->add_option("-o,--output", options->output, "The folder for the two files; else FILE's own")
      ->type_name("DIR");
  addCommon(*parts, context, options, splitByKind);
  parts->footer(
      "Examples:\n  hone workload split shapes.txt         shapes_conv.txt and shapes_matmul.txt\n"
      "  hone workload split shapes.txt -o parts");
}

}  // namespace hone::app
