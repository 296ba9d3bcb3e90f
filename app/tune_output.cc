#include "app/tune_output.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "iree/spec_check.h"
#include "iree/spec_merge.h"

namespace hone::app {
namespace {

/// Where the script goes that some flags need.
std::string scriptFile(const std::string& output) {
  return (output.empty() ? "hone" : output.substr(0, output.rfind(".mlir"))) +
         ".preprocessing.mlir";
}

/// The flags that the gain was proven with, as a user gives them.
std::vector<std::string> flagsToUse(const TunedProgram& tuned, const std::string& output) {
  auto flags = tuned.result.variants[tuned.result.proof->recipe].flags.flags;
  for (std::string& flag : flags) {
    if (flag.starts_with(tune::kScriptFlag)) {
      flag = std::string(tune::kScriptFlag) + scriptFile(output);
    }
  }
  return flags;
}

/// What the file begins with: how it came about, and how it is used.
std::string headerFor(const TunedProgram& tuned, const Engine& engine, const std::string& output) {
  const tune::Proof& proof = *tuned.result.proof;
  const auto flags = flagsToUse(tuned, output);
  std::string header = fmt::format(
      "// Tuned by hone {} for {} on {}: the whole program is {:.2f}x as fast ({:.2f} to "
      "{:.2f}).\n",
      HONE_VERSION, tuned.whole.program.label(), engine.device->name,
      proof.comparison.speedup.estimate, proof.comparison.speedup.low,
      proof.comparison.speedup.high);
  if (!flags.empty()) {
    header += fmt::format("// Found with, and to be used with: {}\n", join(flags, " "));
  }
  return header;
}

/// The command that compiles the program so.
std::string commandFor(const TunedProgram& tuned, const Engine& engine, const std::string& specFile,
                       const std::string& output) {
  std::string user;
  for (std::size_t i = engine.target.flags.size(); i < tuned.whole.flags.size(); ++i) {
    user += fmt::format(" {}", tuned.whole.flags[i]);
  }
  for (const std::string& flag : flagsToUse(tuned, output)) {
    user += fmt::format(" {}", flag);
  }
  // A dispatch that was tuned alone is used in the program that it is from.
  const std::string program = tuned.whole.program.from == iree::kPhaseStart
                                  ? tuned.whole.program.source.filename().string()
                                  : "PROGRAM.mlir";
  return fmt::format(
      "iree-compile {} {}{}{} -o OUT.vmfb", program, join(engine.target.flags, " "), user,
      specFile.empty() ? "" : fmt::format(" {}", iree::specFlagFor(engine.target, specFile)));
}

/// The specs of several programs as one file.
Result<std::string> mergedSpec(Engine& engine, const std::vector<TunedProgram>& tuned,
                               const std::string& output) {
  std::vector<const TunedProgram*> with;
  for (const TunedProgram& one : tuned) {
    if (!one.result.spec.empty()) {
      with.push_back(&one);
    }
  }
  if (with.empty()) {
    return std::string();
  }
  std::string text = headerFor(*with.front(), engine, output) + with.front()->result.spec;
  for (std::size_t i = 1; i < with.size(); ++i) {
    const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-merge"));
    HONE_CHECK(writeFile(folder.path() / "a.mlir", text));
    HONE_CHECK(writeFile(folder.path() / "b.mlir", with[i]->result.spec));
    const auto a = HONE_TRY(iree::readSpec(engine.compiler, folder.path() / "a.mlir"));
    const auto b = HONE_TRY(iree::readSpec(engine.compiler, folder.path() / "b.mlir"));
    text = HONE_TRY(iree::mergeSpecs(a, b, iree::Prefer::first)).text;
  }
  return text;
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

Result<void> writeResult(const Context& context, Engine& engine,
                         const std::vector<TunedProgram>& tuned, const std::string& output) {
  const std::string spec = HONE_TRY(mergedSpec(engine, tuned, output));
  if (!spec.empty() && !output.empty()) {
    HONE_CHECK(writeFile(output, spec));
  }
  for (const TunedProgram& one : tuned) {
    const std::string script =
        one.result.proof ? one.result.variants[one.result.proof->recipe].flags.preprocessing : "";
    if (!script.empty()) {
      HONE_CHECK(writeFile(scriptFile(output), script));
    }
  }
  if (context.json) {
    return {};
  }
  for (const TunedProgram& one : tuned) {
    printTuned(one, *engine.device);
    if (one.result.proof) {
      fmt::print("use it: {}\n",
                 commandFor(one, engine, one.result.spec.empty() ? "" : output, output));
    }
    fmt::print("\n");
  }
  if (!spec.empty()) {
    fmt::print("{}", output.empty() ? spec : fmt::format("spec: {}\n", output));
  }
  return {};
}

}  // namespace hone::app
