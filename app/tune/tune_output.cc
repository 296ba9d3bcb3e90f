#include "app/tune/tune_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/tune/tune_report.h"
#include "base/file.h"
#include "base/text/text.h"
#include "iree/spec/spec_check.h"
#include "tune/proof/spec_files.h"

namespace hone::app {
namespace {

/// Placeholder name of a spec that is printed to stdout.
constexpr const char* kSpecPlaceholder = "SPEC.mlir";

/// Names of the files to write.
struct Files {
  std::string output;  ///< the spec, or a placeholder if it is printed
  tune::SpecFiles specs;
  std::vector<std::string> scripts;  ///< one per program, for flags that need one; "": none
};

/// Returns the transform script of the winning flags; "" if there is none.
std::string winningScript(const TunedProgram& tuned) {
  return tuned.result.proof ? tuned.result.variants[tuned.result.proof->recipe].flags.preprocessing
                            : "";
}

/// Returns the winning flags for the user's command line.
std::vector<std::string> flagsToUse(const TunedProgram& tuned, const std::string& script) {
  auto flags = tuned.result.variants[tuned.result.proof->recipe].flags.flags;
  for (std::string& flag : flags) {
    if (flag.starts_with(tune::kScriptFlag)) {
      flag = std::string(tune::kScriptFlag) + script;
    }
  }
  return flags;
}

/// Returns the request that compiles the program with the winning flags, without the spec.
iree::CompileRequest provenRequest(const TunedProgram& tuned) {
  std::vector<std::string> flags = tuned.whole.flags;
  if (tuned.result.proof) {
    const auto& more = tuned.result.variants[tuned.result.proof->recipe].flags.flags;
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return requestFor(tuned.whole, flags);
}

/// Returns the comment at the top of the spec: its origin and its use.
std::string headerFor(const TunedProgram& tuned, const Toolchain& toolchain,
                      const std::string& script) {
  const tune::Proof& proof = *tuned.result.proof;
  const auto flags = flagsToUse(tuned, script);
  std::string header = fmt::format(
      "// Tuned by hone {} for {} on {}: the whole program is {:.2f}x as fast ({:.2f} to "
      "{:.2f}).\n",
      HONE_VERSION, tuned.whole.program.label(), toolchain.device->name,
      proof.gain.comparison.speedup.estimate, proof.gain.comparison.speedup.low,
      proof.gain.comparison.speedup.high);
  if (!flags.empty()) {
    header += fmt::format("// Use with: {}\n", join(flags, " "));
  }
  return header;
}

/// Returns the command that compiles the program with the result.
std::string commandFor(const TunedProgram& tuned, const Toolchain& toolchain,
                       const std::string& specFile, const std::string& script) {
  std::string user;
  for (std::size_t i = toolchain.target.flags.size(); i < tuned.whole.flags.size(); ++i) {
    user += fmt::format(" {}", tuned.whole.flags[i]);
  }
  for (const std::string& flag : flagsToUse(tuned, script)) {
    user += fmt::format(" {}", flag);
  }
  // The spec of a dispatch tuned alone applies to the program it was dumped from.
  const engine::Program& tunedProgram = tuned.whole.program;
  const bool isDispatch =
      tunedProgram.from == iree::kPhaseFlow || tunedProgram.from == iree::kPhaseExecutableSources;
  const std::string program = isDispatch                    ? "PROGRAM.mlir"
                              : !tunedProgram.model.empty() ? "MODEL.mlir"
                                                            : tunedProgram.fileName();
  return fmt::format(
      "iree-compile {} {}{}{} -o OUT.vmfb", program, join(toolchain.target.flags, " "), user,
      specFile.empty() ? "" : fmt::format(" {}", iree::specFlagFor(toolchain.target, specFile)));
}

Result<Files> filesFor(Toolchain& toolchain, const std::vector<TunedProgram>& tuned,
                       const std::string& output) {
  Files files;
  files.output = output.empty() ? kSpecPlaceholder : output;
  std::vector<tune::ProgramSpec> specs;
  for (const TunedProgram& one : tuned) {
    const std::string label = tuned.size() > 1 ? one.whole.program.label() : "";
    files.scripts.push_back(
        winningScript(one).empty()
            ? ""
            : tune::fileBeside(output.empty() ? "hone" : output, label, "preprocessing.mlir"));
    specs.push_back({one.whole.program.label(),
                     one.result.proof ? headerFor(one, toolchain, files.scripts.back()) : "",
                     one.result.spec, provenRequest(one)});
  }
  files.specs = HONE_TRY(tune::specFiles(toolchain.compiler, specs, files.output));
  return files;
}

/// Prints why no spec was written. Warns about a stale file instead of removing it.
void printMissingSpec(const std::vector<TunedProgram>& tuned, const std::string& output) {
  const bool gained = std::ranges::any_of(
      tuned, [](const TunedProgram& one) { return one.result.proof.has_value(); });
  const bool stale = std::filesystem::exists(output);
  if (gained || stale) {
    fmt::print("no spec written{}{}\n",
               gained ? ": the compiler flags above are the whole gain" : "",
               stale ? fmt::format("; {} is from an earlier run", output) : "");
  }
}

}  // namespace

Result<void> writeResult(const Context& context, Toolchain& toolchain, Progress& progress,
                         const std::vector<TunedProgram>& tuned, const std::string& output) {
  const Files files = HONE_TRY(filesFor(toolchain, tuned, output));
  for (const std::string& conflict : files.specs.conflicts) {
    progress.say(conflict);
  }
  for (const tune::SpecFiles::File& spec : files.specs.files) {
    if (!output.empty()) {
      HONE_CHECK(writeFile(spec.name, spec.text));
    }
  }
  for (std::size_t i = 0; i < tuned.size(); ++i) {
    if (!files.scripts[i].empty()) {
      HONE_CHECK(writeFile(files.scripts[i], winningScript(tuned[i])));
    }
  }
  if (context.json) {
    return {};
  }
  for (std::size_t i = 0; i < tuned.size(); ++i) {
    printTuned(tuned[i], *toolchain.device);
    if (tuned[i].result.proof) {
      fmt::print("use it: {}\n",
                 commandFor(tuned[i], toolchain, files.specs.specPaths[i], files.scripts[i]));
    }
    fmt::print("\n");
  }
  for (const tune::SpecFiles::File& spec : files.specs.files) {
    fmt::print("{}", output.empty() ? spec.text : fmt::format("spec: {}\n", spec.name));
  }
  if (files.specs.files.empty() && !output.empty()) {
    printMissingSpec(tuned, output);
  }
  return {};
}

}  // namespace hone::app
