#include "app/spec/spec.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/call_options.h"
#include "app/common/flag_options.h"
#include "app/common/toolchain.h"
#include "app/spec/spec_report.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text/json.h"
#include "engine/machine_lock.h"
#include "iree/spec/spec_check.h"
#include "iree/spec/spec_merge.h"
#include "iree/spec/upgrade/spec_upgrade.h"
#include "knobs/pipeline_text.h"

namespace hone::app {
namespace {

struct SpecCommandOptions {
  std::string spec;
  std::string other;
  std::string program;
  std::string output;
  std::string prefer;
  CallOptions call;
  FlagOptions flags;
  ToolchainOptions toolchain;
};

/// Returns the request to compile the program with the user's flags.
Result<iree::CompileRequest> requestFor(const SpecCommandOptions& options, Toolchain& toolchain) {
  iree::CompileRequest request;
  request.flags = toolchain.target.flags;
  for (std::string& flag : HONE_TRY(options.flags.flags())) {
    request.flags.push_back(std::move(flag));
  }
  if (iree::isOnnx(options.program)) {
    const engine::Program program = HONE_TRY(engine::loadProgram(
        toolchain.compiler, HONE_TRY(options.call.sourceFor(options.program, request.flags))));
    request.source = program.source;
    request.sourceHash = program.hash;
    request.from = program.from;
    request.label = program.fileName();
    return request;
  }
  request.source = std::filesystem::absolute(options.program);
  request.sourceHash = HONE_TRY(hashFile(options.program));
  return request;
}

/// A spec and its program. Holds the machine lock, so that no process measures meanwhile.
struct SpecAndProgram {
  Toolchain toolchain;
  engine::MachineLock lock;
  iree::Spec spec;
  iree::CompileRequest program;
};

Result<SpecAndProgram> loadSpecAndProgram(const Context& context,
                                          const SpecCommandOptions& options) {
  HONE_TRY(readFile(options.spec));  // fail early if the file is missing
  HONE_TRY(readFile(options.program));
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  auto spec = HONE_TRY(iree::readSpec(toolchain.compiler, options.spec));
  auto program = HONE_TRY(requestFor(options, toolchain));
  return SpecAndProgram{std::move(toolchain), std::move(lock), std::move(spec), std::move(program)};
}

Result<int> show(const Context& context, const SpecCommandOptions& options) {
  HONE_TRY(readFile(options.spec));  // fail early if the file is missing
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  const iree::Spec spec = HONE_TRY(iree::readSpec(toolchain.compiler, options.spec));
  if (context.json) {
    fmt::print("{}\n", jsonText(toJson(spec), 2));
  } else {
    fmt::print("{}", specTable(spec));
  }
  return 0;
}

Result<int> check(const Context& context, const SpecCommandOptions& options) {
  SpecAndProgram loaded = HONE_TRY(loadSpecAndProgram(context, options));
  const iree::SpecCheck found =
      HONE_TRY(iree::checkSpec(loaded.toolchain.compiler, loaded.program, loaded.spec));
  if (context.json) {
    fmt::print("{}\n", jsonText(toJson(found), 2));
  } else {
    fmt::print("{}", checkText(found));
  }
  return found.good() ? 0 : 1;
}

Result<iree::Prefer> preferFrom(const std::string& text) {
  if (text.empty()) {
    return iree::Prefer::neither;
  }
  if (text != "a" && text != "b") {
    return userError("--prefer: expected a or b, got '{}'", text);
  }
  return text == "a" ? iree::Prefer::first : iree::Prefer::second;
}

std::string conflictText(const SpecCommandOptions& options, const iree::SpecConflict& conflict) {
  return fmt::format("conflict between @{} in {} and @{} in {}: {}", conflict.first, options.spec,
                     conflict.second, options.other, conflict.what);
}

Result<int> merge(const Context& context, const SpecCommandOptions& options) {
  const iree::Prefer prefer = HONE_TRY(preferFrom(options.prefer));
  HONE_TRY(readFile(options.spec));
  HONE_TRY(readFile(options.other));
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  const iree::Spec first = HONE_TRY(iree::readSpec(toolchain.compiler, options.spec));
  const iree::Spec second = HONE_TRY(iree::readSpec(toolchain.compiler, options.other));
  const iree::MergedSpec merged = HONE_TRY(iree::mergeSpecs(first, second, prefer));
  nlohmann::json conflicts = nlohmann::json::array();
  for (const iree::SpecConflict& conflict : merged.conflicts) {
    conflicts.push_back(
        {{"a", conflict.first}, {"b", conflict.second}, {"matches", conflict.what}});
    fmt::print(stderr, "{}{}\n", conflictText(options, conflict),
               merged.text.empty() ? "" : fmt::format("; using {}", options.prefer));
  }
  if (!merged.text.empty()) {
    HONE_CHECK(writeFile(options.output, merged.text));
    HONE_CHECK(iree::readSpec(toolchain.compiler, options.output));
  }
  if (context.json) {
    const nlohmann::json json = {{"output", merged.text.empty() ? "" : options.output},
                                 {"entries", merged.entries},
                                 {"equal", merged.equal},
                                 {"conflicts", std::move(conflicts)}};
    fmt::print("{}\n", jsonText(json, 2));
  } else if (merged.text.empty()) {
    fmt::print("no spec written; use --prefer a or --prefer b to resolve conflicts\n");
  } else {
    fmt::print("{}: {} {}, {} of them in both\n", options.output, merged.entries,
               merged.entries == 1 ? "entry" : "entries", merged.equal);
  }
  return merged.text.empty() ? 1 : 0;
}

void printApplied(const SpecCommandOptions& options, const iree::SpecCompiled& result) {
  fmt::print("{}", checkText(result.check));
  if (result.compiled.module.empty()) {
    fmt::print("compile error with the spec: {}\n", result.compiled.report.message);
    return;
  }
  fmt::print("{}: {}\n", options.output,
             result.sameAsDefault ? "same code as without the spec"
                                  : "compiled with the spec; code differs from the default");
}

Result<int> apply(const Context& context, const SpecCommandOptions& options) {
  SpecAndProgram loaded = HONE_TRY(loadSpecAndProgram(context, options));
  const auto result = HONE_TRY(iree::compileWithSpec(loaded.toolchain.compiler, loaded.program,
                                                     loaded.spec, options.output));
  const bool compiled = !result.compiled.module.empty();
  if (context.json) {
    nlohmann::json json = toJson(result.check);
    json["output"] = compiled ? options.output : "";
    json["same_as_default"] = result.sameAsDefault;
    json["message"] = result.compiled.report.message;
    fmt::print("{}\n", jsonText(json, 2));
  } else {
    printApplied(options, result);
  }
  return compiled && result.check.good() ? 0 : 1;
}

/// Prints the upgraded entries and, with a program, the dispatches they apply to.
void printUpgraded(const SpecCommandOptions& options, const iree::SpecUpgrade& upgraded) {
  fmt::print(stderr, "{}", upgradeText(upgraded));
  if (upgraded.text.empty()) {
    fmt::print(stderr, "no spec written: no entry can be upgraded\n");
  } else if (options.output.empty()) {
    fmt::print("{}", upgraded.text);
  } else {
    fmt::print(stderr, "{}: {}\n", options.output,
               upgraded.current ? "unchanged; the spec fits this compiler" : "written");
  }
}

Result<int> upgrade(const Context& context, const SpecCommandOptions& options) {
  HONE_TRY(readFile(options.spec));  // fail early if the file is missing
  if (!options.program.empty()) {
    HONE_TRY(readFile(options.program));
  }
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-upgrade"));
  iree::UpgradeOptions how;
  how.folder = folder.path();
  how.fitConfig = [&](std::string info) {
    return knobs::fitPipeline(std::move(info), toolchain.compiler.revision());
  };
  if (!options.program.empty()) {
    how.program = HONE_TRY(requestFor(options, toolchain));
  }
  iree::SpecUpgrade upgraded = HONE_TRY(iree::upgradeSpec(toolchain.compiler, options.spec, how));
  if (upgraded.compiled) {  // by a temporary file
    iree::SpecCheck& check = upgraded.compiled->check;
    check.flag =
        iree::specFlag(check.takesSpecFlag, options.output.empty() ? "NEW.mlir" : options.output);
  }
  if (!upgraded.text.empty() && !options.output.empty()) {
    HONE_CHECK(writeFile(options.output, upgraded.text));
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(toJson(upgraded), 2));
  } else {
    printUpgraded(options, upgraded);
  }
  return upgraded.good() ? 0 : 1;
}

using Action = Result<int> (*)(const Context&, const SpecCommandOptions&);

CLI::App* addSubcommand(CLI::App& spec, Context& context, const std::string& name,
                        const std::string& what, const std::shared_ptr<SpecCommandOptions>& options,
                        Action action) {
  CLI::App* command = spec.add_subcommand(name, what);
  command->add_flag("--json", context.json, "Print results as JSON");
  command->callback([&context, options, action] {
    context.action = [&context, options, action] { return action(context, *options); };
  });
  return command;
}

/// Returns the option of the program.
CLI::Option* addProgram(CLI::App& command, SpecCommandOptions& options) {
  CLI::Option* program =
      command.add_option("PROGRAM", options.program, "Model (.onnx) or MLIR program");
  options.call.addDimsTo(command);
  return program;
}

void addTarget(CLI::App& command, SpecCommandOptions& options) {
  options.toolchain.addCompileOptionsTo(command);
  options.flags.addTo(command);
}

void addShow(CLI::App& spec, Context& context, const std::shared_ptr<SpecCommandOptions>& options) {
  CLI::App* command =
      addSubcommand(spec, context, "show", "Show what each entry matches and sets", options, show);
  command->add_option("SPEC", options->spec, "Tuning spec")->required();
  command->footer("Examples:\n  hone spec show spec.mlir\n  hone spec show spec.mlir --json");
}

void addCheck(CLI::App& spec, Context& context,
              const std::shared_ptr<SpecCommandOptions>& options) {
  CLI::App* command =
      addSubcommand(spec, context, "check",
                    "Show which entry applies to each dispatch of a program", options, check);
  command->add_option("SPEC", options->spec, "Tuning spec")->required();
  addProgram(*command, *options)->required();
  addTarget(*command, *options);
  command->footer(
      "Examples:\n"
      "  hone spec check spec.mlir model.mlir\n"
      "  hone spec check spec.mlir model.mlir --target rocm:gfx942\n"
      "Exit code 1: an entry matches nothing, or the compiler does not apply it.");
}

void addMerge(CLI::App& spec, Context& context,
              const std::shared_ptr<SpecCommandOptions>& options) {
  CLI::App* command =
      addSubcommand(spec, context, "merge", "Merge two specs into one", options, merge);
  command->add_option("A", options->spec, "Tuning spec")->required();
  command->add_option("B", options->other, "Tuning spec to merge with A")->required();
  command->add_option("-o,--output", options->output, "Tuning spec to write")
      ->type_name("FILE")
      ->required();
  command->add_option("--prefer", options->prefer,
                      "Spec that wins a conflict: a or b (default: report conflicts)");
  command->footer(
      "Examples:\n"
      "  hone spec merge matmuls.mlir convs.mlir -o spec.mlir\n"
      "  hone spec merge old.mlir new.mlir -o spec.mlir --prefer b\n"
      "Exit code 1: the specs conflict and --prefer is not given.");
}

void addApply(CLI::App& spec, Context& context,
              const std::shared_ptr<SpecCommandOptions>& options) {
  CLI::App* command =
      addSubcommand(spec, context, "apply", "Compile a program with a spec", options, apply);
  addProgram(*command, *options)->required();
  command->add_option("--spec", options->spec, "Tuning spec")->type_name("FILE")->required();
  command->add_option("-o,--output", options->output, "Module to write (.vmfb)")
      ->type_name("FILE")
      ->required();
  addTarget(*command, *options);
  command->footer(
      "Examples:\n"
      "  hone spec apply model.mlir --spec spec.mlir -o model.vmfb\n"
      "  hone spec apply model.mlir --spec spec.mlir -o model.vmfb --target cuda:sm_80\n"
      "Exit code 1: the program does not compile with the spec, or an entry has no effect.");
}

void addUpgrade(CLI::App& spec, Context& context,
                const std::shared_ptr<SpecCommandOptions>& options) {
  CLI::App* command = addSubcommand(spec, context, "upgrade",
                                    "Rewrite a spec of another compiler version", options, upgrade);
  command->add_option("SPEC", options->spec, "Tuning spec")->required();
  addProgram(*command, *options);
  command->add_option("-o,--output", options->output, "Tuning spec to write (default: stdout)")
      ->type_name("FILE");
  addTarget(*command, *options);
  command->footer(
      "Examples:\n"
      "  hone spec upgrade old.mlir -o new.mlir\n"
      "  hone spec upgrade old.mlir model.mlir -o new.mlir --target rocm:gfx942\n"
      "With a program, a matcher is also rewritten if the compiler now writes the same\n"
      "computation in another form, and the program is compiled with the spec.\n"
      "Exit code 1: an entry cannot be upgraded, or does not apply to the program.");
}

}  // namespace

void addSpecCommand(CLI::App& app, Context& context) {
  const auto options = std::make_shared<SpecCommandOptions>();
  CLI::App* spec = app.add_subcommand("spec", "Show, check, merge, apply and upgrade tuning specs");
  spec->require_subcommand(1);
  spec->footer(
      "Examples:\n  hone spec show spec.mlir\n  hone spec check spec.mlir model.mlir\n"
      "  hone spec merge a.mlir b.mlir -o spec.mlir\n"
      "  hone spec apply model.mlir --spec spec.mlir -o model.vmfb\n"
      "  hone spec upgrade old.mlir model.mlir -o new.mlir");
  addShow(*spec, context, options);
  addCheck(*spec, context, options);
  addMerge(*spec, context, options);
  addApply(*spec, context, options);
  addUpgrade(*spec, context, options);
}

}  // namespace hone::app
