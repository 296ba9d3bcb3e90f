#include "app/tune/tune_output.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text/text.h"
#include "iree/spec/spec_check.h"
#include "tune/proof/spec_files.h"

namespace hone::app {
namespace {

/// Stands for the file that a printed spec is put into.
constexpr const char* kSpecToName = "SPEC.mlir";

/// What is written for the programs, by name.
struct Files {
  std::string output;  ///< the spec's; a name to put in where it is printed
  tune::SpecFiles specs;
  std::vector<std::string> scripts;  ///< one a program: what some flags need; "" for none
};

/// The transform script of the flags that the gain was proven with; "" for none.
std::string scriptOf(const TunedProgram& tuned) {
  return tuned.result.proof ? tuned.result.variants[tuned.result.proof->recipe].flags.preprocessing
                            : "";
}

/// The flags that the gain was proven with, as a user gives them.
std::vector<std::string> flagsToUse(const TunedProgram& tuned, const std::string& script) {
  auto flags = tuned.result.variants[tuned.result.proof->recipe].flags.flags;
  for (std::string& flag : flags) {
    if (flag.starts_with(tune::kScriptFlag)) {
      flag = std::string(tune::kScriptFlag) + script;
    }
  }
  return flags;
}

/// The program as the compiler is asked for it where the gain was proven, but for the spec.
iree::CompileRequest provenRequest(const TunedProgram& tuned) {
  std::vector<std::string> flags = tuned.whole.flags;
  if (tuned.result.proof) {
    const auto& more = tuned.result.variants[tuned.result.proof->recipe].flags.flags;
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return requestFor(tuned.whole, flags);
}

/// What the file begins with: how it came about, and how it is used.
std::string headerFor(const TunedProgram& tuned, const Toolchain& toolchain,
                      const std::string& script) {
  const tune::Proof& proof = *tuned.result.proof;
  const auto flags = flagsToUse(tuned, script);
  std::string header = fmt::format(
      "// Tuned by hone {} for {} on {}: the whole program is {:.2f}x as fast ({:.2f} to "
      "{:.2f}).\n",
      HONE_VERSION, tuned.whole.program.label(), toolchain.device->name,
      proof.comparison.speedup.estimate, proof.comparison.speedup.low,
      proof.comparison.speedup.high);
  if (!flags.empty()) {
    header += fmt::format("// Found with, and to be used with: {}\n", join(flags, " "));
  }
  return header;
}

/// The command that compiles the program so.
std::string commandFor(const TunedProgram& tuned, const Toolchain& toolchain,
                       const std::string& specFile, const std::string& script) {
  std::string user;
  for (std::size_t i = toolchain.target.flags.size(); i < tuned.whole.flags.size(); ++i) {
    user += fmt::format(" {}", tuned.whole.flags[i]);
  }
  for (const std::string& flag : flagsToUse(tuned, script)) {
    user += fmt::format(" {}", flag);
  }
  // A dispatch that was tuned alone is used in the program that it is from.
  const std::string program = tuned.whole.program.from == iree::kPhaseStart
                                  ? tuned.whole.program.source.filename().string()
                                  : "PROGRAM.mlir";
  return fmt::format(
      "iree-compile {} {}{}{} -o OUT.vmfb", program, join(toolchain.target.flags, " "), user,
      specFile.empty() ? "" : fmt::format(" {}", iree::specFlagFor(toolchain.target, specFile)));
}

Result<Files> filesFor(Toolchain& toolchain, const std::vector<TunedProgram>& tuned,
                       const std::string& output) {
  Files files;
  files.output = output.empty() ? kSpecToName : output;
  std::vector<tune::ProgramSpec> specs;
  for (const TunedProgram& one : tuned) {
    const std::string label = tuned.size() > 1 ? one.whole.program.label() : "";
    files.scripts.push_back(
        scriptOf(one).empty()
            ? ""
            : tune::fileBeside(output.empty() ? "hone" : output, label, "preprocessing.mlir"));
    specs.push_back({one.whole.program.label(),
                     one.result.proof ? headerFor(one, toolchain, files.scripts.back()) : "",
                     one.result.spec, provenRequest(one)});
  }
  files.specs = HONE_TRY(tune::specFiles(toolchain.compiler, specs, files.output));
  return files;
}

}  // namespace

Result<void> checkOutput(const std::string& output) {
  const auto folder = std::filesystem::path(output).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    return userError("{} cannot be written: there is no folder {}", output, folder.string());
  }
  if (std::filesystem::is_directory(output)) {
    return userError("{} is a folder; -o takes the file that the spec goes to", output);
  }
  return {};
}

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
      HONE_CHECK(writeFile(files.scripts[i], scriptOf(tuned[i])));
    }
  }
  if (context.json) {
    return {};
  }
  for (std::size_t i = 0; i < tuned.size(); ++i) {
    printTuned(tuned[i], *toolchain.device);
    if (tuned[i].result.proof) {
      fmt::print("use it: {}\n",
                 commandFor(tuned[i], toolchain, files.specs.fileOf[i], files.scripts[i]));
    }
    fmt::print("\n");
  }
  for (const tune::SpecFiles::File& spec : files.specs.files) {
    fmt::print("{}", output.empty() ? spec.text : fmt::format("spec: {}\n", spec.name));
  }
  // Somebody's file is not removed, but must not be taken for what was found now.
  if (files.specs.files.empty() && !output.empty() && std::filesystem::exists(output)) {
    fmt::print("no spec was written: {} is from before and was not touched\n", output);
  }
  return {};
}

}  // namespace hone::app
