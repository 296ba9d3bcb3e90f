#include "app/verify/verify.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/toolchain.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/builder.h"
#include "engine/executor/local_executor.h"
#include "engine/plan/experiment.h"
#include "iree/spec/spec_check.h"
#include "iree/spec/spec_merge.h"
#include "model/result/run_failure.h"
#include "report/render/table.h"
#include "tune/folder/tuned_folder.h"
#include "tune/program/whole_program.h"
#include "tune/proof/ablation.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  std::string folder;
  bool prune = false;
  std::int64_t rounds = 20;
  ToolchainOptions toolchain;
};

/// An entry of the spec and its effect with this compiler.
struct CheckedEntry {
  std::string name;
  bool matches = false;
  bool gains = false;
  std::string why;  ///< reason if it does not gain
};

/// State shared by the checks of a folder.
struct VerifyContext {
  const VerifyOptions& options;
  fs::path folder;
  tune::TunedFolder tuned;
  Toolchain& toolchain;
  tune::WholeProgram whole;
  std::optional<iree::Spec> spec;
  ScratchFolder scratch;
};

/// The candidates of a verification: the default, the tuned program, and it without each entry.
struct VerifyResult {
  std::vector<engine::Finding> findings;
  std::vector<CheckedEntry> entries;
  std::optional<engine::Finding> alternative;
};

/// Loads the program: the user's model if it is still there, for its reference, or that of the
/// folder.
Result<engine::Program> loadTuned(const tune::TunedFolder& tuned, const fs::path& folder,
                                  Toolchain& toolchain) {
  engine::ProgramSource source;
  source.flags = tuned.flags;
  source.function = tuned.function;
  source.inputs = tuned.allInputs(folder);
  std::error_code ignored;
  const fs::path original = folder / tuned.source;
  if (iree::isOnnx(original) && fs::exists(original, ignored)) {
    source.file = original;
    source.dims = tuned.sizes;
    auto program = engine::loadProgram(toolchain.compiler, source);
    if (program || program.error().fault != Fault::machine) {
      return program;
    }
    source.dims.clear();
  }
  source.file = folder / tuned.program;
  for (const std::string& parameters : tuned.parameters) {
    const auto equals = parameters.find('=');
    const std::string scope = equals == std::string::npos ? "" : parameters.substr(0, equals + 1);
    source.parameters.push_back(scope + (folder / parameters.substr(scope.size())).string());
  }
  return engine::loadProgram(toolchain.compiler, source);
}

Result<VerifyContext> openFolder(const VerifyOptions& options, tune::TunedFolder tuned,
                                 Toolchain& toolchain) {
  VerifyContext context{options,
                        fs::absolute(options.folder).lexically_normal(),
                        std::move(tuned),
                        toolchain,
                        {},
                        std::nullopt,
                        HONE_TRY(ScratchFolder::create("hone-verify"))};
  tune::WholeProgram& whole = context.whole;
  whole.program = HONE_TRY(loadTuned(context.tuned, context.folder, toolchain));
  if (context.tuned.ranges.size() == whole.program.inputTypes.size()) {
    whole.program.inputRanges = context.tuned.ranges;
  }
  whole.flags = context.tuned.flags;
  whole.seed = context.tuned.seed;
  whole.inputSpecs = context.tuned.allInputs(context.folder);
  tune::InputSets sets = HONE_TRY(
      tune::makeInputSets(whole.program, whole.inputSpecs, whole.seed, context.scratch.path()));
  whole.inputs = std::move(sets.first);
  whole.otherInputs = std::move(sets.other);
  if (!context.tuned.spec.empty()) {
    context.spec =
        HONE_TRY(iree::readSpec(toolchain.compiler, context.folder / context.tuned.spec));
  }
  return context;
}

/// Returns the tuned flags with another spec instead of the folder's; "": without a spec.
std::vector<std::string> flagsWithSpec(const VerifyContext& context, const fs::path& spec) {
  const fs::path own = context.folder / context.tuned.spec;
  std::vector<std::string> flags;
  for (const std::string& flag : context.tuned.allTunedFlags(context.folder)) {
    const bool isSpec = !context.tuned.spec.empty() && flag.ends_with("=" + own.string());
    if (!isSpec) {
      flags.push_back(flag);
    } else if (!spec.empty()) {
      flags.push_back(iree::specFlagFor(context.toolchain.target, spec));
    }
  }
  return flags;
}

/// Writes a spec with the chosen entries and returns its file; "" if there are none.
Result<fs::path> writeSpec(const VerifyContext& context, const std::vector<bool>& kept,
                           const fs::path& file) {
  iree::Spec some = *context.spec;
  some.entries.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      some.entries.push_back(context.spec->entries[i]);
    }
  }
  if (some.entries.empty()) {
    return fs::path();
  }
  const iree::MergedSpec merged =
      HONE_TRY(iree::mergeSpecs(some, iree::Spec{}, iree::Prefer::first));
  HONE_CHECK(writeFile(file, merged.text));
  return file;
}

/// Finds the entries that still match a dispatch.
Result<std::vector<CheckedEntry>> checkEntries(const VerifyContext& context) {
  std::vector<CheckedEntry> entries;
  if (!context.spec) {
    return entries;
  }
  std::vector<std::string> flags = context.whole.flags;
  for (std::string& flag : flagsWithSpec(context, "")) {
    flags.push_back(std::move(flag));
  }
  const auto check = HONE_TRY(
      iree::checkSpec(context.toolchain.compiler, requestFor(context.whole, flags), *context.spec));
  for (std::size_t i = 0; i < context.spec->entries.size(); ++i) {
    CheckedEntry entry{.name = context.spec->entries[i].name, .why = "matches nothing"};
    if (i < check.entries.size()) {
      const auto& uses = check.entries[i].uses;
      entry.matches = std::ranges::any_of(uses, &iree::SpecUse::configured);
      entry.why = entry.matches ? "" : uses.empty() ? entry.why : "not used by the compiler";
    }
    entries.push_back(std::move(entry));
  }
  if (!check.refused.empty()) {
    for (CheckedEntry& entry : entries) {
      entry = {.name = entry.name,
               .why = fmt::format("the compiler rejects it: {}", check.refused)};
    }
  }
  return entries;
}

/// Returns the plan: default, tuned, and tuned without each entry that matches.
Result<engine::Plan> makePlan(const VerifyContext& context, std::vector<CheckedEntry>& entries,
                              std::vector<std::size_t>& ablated) {
  engine::Plan plan = planFor(context.whole, "");
  plan.selects = false;
  plan.alternative = true;
  plan.rounds = context.options.rounds;
  std::vector<bool> matching;
  for (const CheckedEntry& entry : entries) {
    matching.push_back(entry.matches);
  }
  const auto add = [&](const std::string& name, const std::vector<bool>& kept,
                       const std::string& file) -> Result<void> {
    const fs::path spec =
        context.spec ? HONE_TRY(writeSpec(context, kept, context.scratch.path() / file)) : "";
    plan.candidates.push_back({0, {name, flagsWithSpec(context, spec), {}}});
    return {};
  };
  HONE_CHECK(add("tuned", matching, "tuned.mlir"));
  const auto count = std::ranges::count(matching, true);
  for (std::size_t i = 0; count > 1 && i < entries.size(); ++i) {
    if (!matching[i]) {
      continue;
    }
    std::vector<bool> others = matching;
    others[i] = false;
    HONE_CHECK(
        add(fmt::format("without {}", entries[i].name), others, fmt::format("without{}.mlir", i)));
    ablated.push_back(i);
  }
  return plan;
}

bool isFaster(const engine::Finding& finding) {
  return finding.outcome == model::Outcome::ok && finding.comparison &&
         finding.comparison->verdict == stats::Verdict::improved;
}

/// Decides which entries gain from the times without them.
void judgeEntries(const std::vector<engine::Finding>& findings, const engine::Plan& plan,
                  const std::vector<std::size_t>& ablated, std::vector<CheckedEntry>& entries) {
  const bool tunedGains = findings.size() > 1 && isFaster(findings[1]);
  for (CheckedEntry& entry : entries) {
    entry.gains = entry.matches && tunedGains;
    entry.why = entry.matches && !tunedGains ? "no gain on the whole program" : entry.why;
  }
  for (std::size_t i = 0; tunedGains && i < ablated.size() && i + 2 < findings.size(); ++i) {
    CheckedEntry& entry = entries[ablated[i]];
    entry.gains = tune::helps({entry.name, 0}, findings[1], findings[i + 2], plan.compare);
    entry.why = entry.gains ? "" : "no gain on the whole program";
  }
}

/// Drops the entries that do not gain, and compiles the module again.
Result<void> prune(VerifyContext& context, const VerifyResult& result) {
  std::vector<bool> kept;
  for (const CheckedEntry& entry : result.entries) {
    kept.push_back(entry.gains);
  }
  tune::TunedFolder& tuned = context.tuned;
  const fs::path spec = HONE_TRY(writeSpec(context, kept, context.folder / tune::kSpecFile));
  if (spec.empty()) {
    std::error_code ignored;
    fs::remove(context.folder / tune::kSpecFile, ignored);
  }
  std::vector<std::string> absolute = flagsWithSpec(context, spec);
  tuned.tunedFlags.clear();
  for (const std::string& flag : absolute) {
    tuned.tunedFlags.push_back(tune::relativeFlag(flag, context.folder));
  }
  tuned.spec = spec.empty() ? "" : std::string(tune::kSpecFile);
  tuned.compiler = context.toolchain.compiler.revision();
  std::vector<std::string> flags = tuned.flags;
  flags.insert(flags.end(), tuned.tunedFlags.begin(), tuned.tunedFlags.end());
  HONE_CHECK(writeFile(context.folder / tune::kFlagsFile, tune::responseFile(flags)));
  std::vector<std::string> all = tuned.flags;
  all.insert(all.end(), absolute.begin(), absolute.end());
  const iree::Compiled compiled = HONE_TRY(
      engine::Builder(context.toolchain.compiler).buildOne(requestFor(context.whole, all)));
  std::error_code error;
  fs::copy_file(compiled.module, context.folder / tune::kModuleFile,
                fs::copy_options::overwrite_existing, error);
  if (error) {
    return machineError("cannot write {}: {}", (context.folder / tune::kModuleFile).string(),
                        error.message());
  }
  return tune::writeResultFile(tuned, context.folder);
}

nlohmann::json toJson(const VerifyContext& context, const VerifyResult& result) {
  nlohmann::json entries = nlohmann::json::array();
  for (const CheckedEntry& entry : result.entries) {
    entries.push_back({{"name", entry.name},
                       {"matches", entry.matches},
                       {"gains", entry.gains},
                       {"why", entry.why}});
  }
  const engine::Finding& tuned = result.findings[1];
  nlohmann::json whole = {{"folder", context.options.folder},
                          {"compiler", context.toolchain.compiler.revision()},
                          {"tuned_with", context.tuned.compiler},
                          {"verified", nameOf(tuned.expectation)},
                          {"outcome", nameOf(tuned.outcome)},
                          {"message", tuned.message},
                          {"default_ns", result.findings[0].timeNs},
                          {"tuned_ns", tuned.timeNs},
                          {"gains", isFaster(tuned)},
                          {"entries", std::move(entries)}};
  if (tuned.comparison) {
    const stats::Interval& speedup = tuned.comparison->speedup;
    whole["speedup"] = {
        {"low", speedup.low}, {"estimate", speedup.estimate}, {"high", speedup.high}};
  }
  if (result.alternative && result.alternative->timeNs > 0) {
    whole["onnxruntime_ns"] = result.alternative->timeNs;
  }
  return whole;
}

void printResult(const VerifyContext& context, const VerifyResult& result) {
  const engine::Finding& baseline = result.findings[0];
  const engine::Finding& tuned = result.findings[1];
  fmt::print("{} on {}\n", context.whole.program.label(), context.toolchain.device->name);
  if (context.tuned.compiler != context.toolchain.compiler.revision()) {
    fmt::print("tuned with IREE {}, verified with {}\n", context.tuned.compiler,
               context.toolchain.compiler.revision());
  }
  if (!result.entries.empty()) {
    using report::Align;
    report::Table table(
        {{"entry", Align::left, 15}, {"matches"}, {"gains"}, {"", Align::left, 12}});
    for (const CheckedEntry& entry : result.entries) {
      table.add({entry.name, entry.matches ? "yes" : "no", entry.gains ? "yes" : "no", entry.why});
    }
    fmt::print("{}", table.text(report::outputWidth()));
  }
  if (tuned.outcome != model::Outcome::ok) {
    fmt::print("the tuned program fails: {}: {}\n", nameOf(tuned.outcome), tuned.message);
    return;
  }
  if (tuned.comparison) {
    const stats::Interval& speedup = tuned.comparison->speedup;
    fmt::print("whole program: {} -> {}, {:.2f}x as fast (95 % CI {:.2f}-{:.2f}): {}\n",
               humanTime(baseline.timeNs), humanTime(tuned.timeNs), speedup.estimate, speedup.low,
               speedup.high, nameOf(tuned.comparison->verdict));
  }
  if (result.alternative && result.alternative->timeNs > 0) {
    fmt::print("ONNX Runtime on the same threads: {}\n", humanTime(result.alternative->timeNs));
  }
  fmt::print("results {}\n", tuned.expectation == engine::Expectation::reference
                                 ? "verified against a reference"
                                 : "equal to those of the default");
}

Result<int> verify(const Context& context, VerifyOptions options) {
  tune::TunedFolder tuned = HONE_TRY(tune::readTunedFolder(options.folder));
  options.toolchain.target = tuned.target;
  if (options.toolchain.device.empty()) {
    options.toolchain.device = tuned.device;
  }
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  if (!toolchain.device) {
    return userError("no {} device found", toolchain.target.name);
  }
  VerifyContext opened = HONE_TRY(openFolder(options, std::move(tuned), toolchain));
  if (opened.tuned.tunedFlags.empty()) {
    fmt::print("{} has no tuned flags: it is the compiler's default\n", options.folder);
    return 0;
  }
  VerifyResult result;
  result.entries = HONE_TRY(checkEntries(opened));
  std::vector<std::size_t> ablated;
  const engine::Plan plan = HONE_TRY(makePlan(opened, result.entries, ablated));
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  Progress progress(context.quiet || context.json);
  store::Run described = describeRun(context, toolchain, "bench");
  described.seed = plan.seed;
  described.key = Hasher().field("verify").field(options.folder).field(utcNow()).hex();
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const iree::ModuleRunner runner = toolchain.runner();
  engine::LocalExecutor executor(store, run, progress);
  engine::Experiment experiment({toolchain.compiler, runner, store, progress, run, executor});
  auto findings = experiment.run(plan);
  if (!findings || findings->size() < 2) {
    const Error error =
        findings ? Error{Fault::user, "the tuned program was not tried"} : findings.error();
    if (error.fault == Fault::user) {
      HONE_CHECK(store.finishRun(run, store::RunStatus::failed,
                                 model::toJson(model::RunFailure{error.message})));
    }
    return std::unexpected(error);
  }
  result.findings = std::move(*findings);
  result.alternative = experiment.alternative();
  judgeEntries(result.findings, plan, ablated, result.entries);
  const nlohmann::json summary = toJson(opened, result);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  if (context.json) {
    fmt::print("{}\n", jsonText(summary, 2));
  } else {
    printResult(opened, result);
  }
  const bool all = std::ranges::all_of(result.entries, &CheckedEntry::gains);
  if (!all && options.prune) {
    HONE_CHECK(prune(opened, result));
  }
  if (!all && !context.json) {
    fmt::print("{}\n", options.prune ? "entries without a gain are dropped"
                                     : "use --prune to drop the entries without a gain");
  }
  return isFaster(result.findings[1]) ? 0 : 1;
}

}  // namespace

void addVerifyCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Verify and measure a tuned folder again");
  command->add_option("FOLDER", options->folder, "Folder that hone tune wrote")->required();
  command->add_flag("--prune", options->prune, "Drop the spec's entries that no longer gain");
  command->add_option("--rounds", options->rounds, "Interleaved rounds of the comparison")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  command->add_option("--device", options->toolchain.device,
                      "Device to run on (default: the one it was tuned on)");
  command
      ->add_option("--compile-timeout", options->toolchain.compileSeconds, "Timeout of one compile")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, 1e7))
      ->capture_default_str();
  command
      ->add_option("--run-timeout", options->toolchain.runSeconds,
                   "Timeout of one measuring process")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  hone verify model.tuned\n"
      "  hone verify model.tuned --prune\n"
      "  hone --iree ~/venv-3.13 verify model.tuned        with another compiler\n"
      "Exit code 1: the tuned program is not faster, fails or has wrong results.");
  command->callback([&context, options] {
    context.action = [&context, options] { return verify(context, *options); };
  });
}

}  // namespace hone::app
