#include "app/tune/tune_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "app/tune/tune_report.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "engine/builder.h"
#include "iree/spec/spec_check.h"
#include "tune/folder/tuned_folder.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// Copies a file; replaces an older one.
Result<void> copyFile(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) {
    return machineError("cannot write {}: {}", to.string(), error.message());
  }
  return {};
}

/// Returns a path relative to the folder.
std::string relativePath(const fs::path& file, const fs::path& folder) {
  return fs::absolute(file).lexically_normal().lexically_relative(
      fs::absolute(folder).lexically_normal());
}

/// Copies the program and the weights of a model into the folder.
Result<void> addProgram(const engine::Program& program, const fs::path& folder,
                        tune::TunedFolder& tuned) {
  tuned.source = relativePath(program.file.empty() ? program.source : program.file, folder);
  tuned.hash = program.hash;
  tuned.function = program.function;
  tuned.sizes = program.dims;
  tuned.ranges = program.inputRanges;
  const bool lowered = program.from == iree::kPhaseInput;
  tuned.program = lowered ? std::string(tune::kModelFile) : tuned.source;
  if (lowered) {
    HONE_CHECK(copyFile(program.source, folder / tune::kModelFile));
  }
  for (const std::string& parameters : program.parameters) {
    const auto equals = parameters.find('=');
    const std::string scope = equals == std::string::npos ? "" : parameters.substr(0, equals + 1);
    const fs::path file = parameters.substr(scope.size());
    if (!program.model.empty() && scope == fmt::format("{}=", iree::kModelScope)) {
      HONE_CHECK(copyFile(file, folder / tune::kParametersFile));
      tuned.parameters.push_back(scope + std::string(tune::kParametersFile));
    } else {
      tuned.parameters.push_back(scope + relativePath(file, folder));
    }
  }
  return {};
}

/// Writes spec and script, and sets the flags that use them.
Result<void> addTuning(const Toolchain& toolchain, const TunedProgram& program,
                       const fs::path& folder, tune::TunedFolder& tuned) {
  const tune::TuneResult& result = program.result;
  std::error_code ignored;
  fs::remove(folder / tune::kSpecFile, ignored);
  fs::remove(folder / tune::kPreprocessingFile, ignored);
  if (!result.proof) {
    return {};
  }
  const tune::FlagSet& set = result.variants[result.proof->recipe].flags;
  if (!set.preprocessing.empty()) {
    HONE_CHECK(writeFile(folder / tune::kPreprocessingFile, set.preprocessing));
  }
  for (const std::string& flag : set.flags) {
    tuned.tunedFlags.push_back(flag.starts_with(tune::kScriptFlag)
                                   ? std::string(tune::kScriptFlag) +
                                         std::string(tune::kPreprocessingFile)
                                   : flag);
  }
  if (!result.spec.empty()) {
    HONE_CHECK(writeFile(folder / tune::kSpecFile, result.spec));
    tuned.spec = tune::kSpecFile;
    tuned.tunedFlags.push_back(iree::specFlagFor(toolchain.target, tune::kSpecFile));
  }
  return {};
}

/// Compiles the proven program, usually from the cache, and writes its module.
Result<void> writeModule(Toolchain& toolchain, const TunedProgram& tuned, const fs::path& folder) {
  std::vector<std::string> flags = tuned.whole.flags;
  if (tuned.result.proof) {
    const auto& more = tuned.result.proof->config.flags;
    flags.insert(flags.end(), more.begin(), more.end());
  }
  const iree::Compiled compiled =
      HONE_TRY(engine::Builder(toolchain.compiler).buildOne(requestFor(tuned.whole, flags)));
  return copyFile(compiled.module, folder / tune::kModuleFile);
}

/// Adds the proof: times, interval and reference.
void addProof(const TunedProgram& program, tune::TunedFolder& tuned) {
  const model::TunedProgram result = toResult(program);
  tuned.improved = result.proof.has_value();
  tuned.verified = result.verified;
  tuned.note = result.note;
  tuned.defaultNs = result.defaultNs;
  if (result.proof) {
    tuned.tunedNs = result.proof->tunedNs;
    tuned.speedup = result.proof->speedup;
  }
  if (result.alternative) {
    tuned.onnxRuntimeNs = result.alternative->timeNs;
  }
  tuned.effort = program.effort;
}

void printUse(const tune::TunedFolder& tuned, const fs::path& folder) {
  fmt::print("written to {}: {}, {}{}\n", folder.string(), tune::kModuleFile, tune::kFlagsFile,
             tuned.spec.empty() ? "" : fmt::format(", {}", tune::kSpecFile));
  fmt::print("use it: cd {} && iree-compile {} @{} -o OUT.vmfb\n", folder.string(), tuned.program,
             tune::kFlagsFile);
  std::string parameters;
  for (const std::string& one : tuned.parameters) {
    parameters += fmt::format(" --parameters={}", one);
  }
  fmt::print("   run: cd {} && iree-run-module --module={} --function={} --device={}{} …\n",
             folder.string(), tune::kModuleFile, tuned.function, tuned.device, parameters);
  fmt::print(" check: hone verify {}\n", folder.string());
}

}  // namespace

bool isTunedFolder(const std::string& output) {
  return !output.empty() && !output.ends_with(".mlir");
}

Result<void> writeTunedFolder(const Context& context, Toolchain& toolchain,
                              const TunedProgram& program, const fs::path& folder) {
  HONE_CHECK(makeFolder(folder));
  tune::TunedFolder tuned;
  tuned.hone = HONE_VERSION;
  tuned.compiler = toolchain.compiler.revision();
  tuned.target = toolchain.target.name;
  tuned.device = toolchain.device->name;
  tuned.host = hostName();
  tuned.cpu = cpuName();
  tuned.createdAt = utcNow();
  for (const std::string& input : program.whole.inputSpecs) {
    tuned.inputs.push_back(tune::moveInput(input, ".", folder));
  }
  tuned.seed = program.whole.seed;
  tuned.flags = program.whole.flags;
  HONE_CHECK(addProgram(program.whole.program, folder, tuned));
  HONE_CHECK(addTuning(toolchain, program, folder, tuned));
  addProof(program, tuned);
  std::vector<std::string> flags = tuned.flags;
  flags.insert(flags.end(), tuned.tunedFlags.begin(), tuned.tunedFlags.end());
  HONE_CHECK(writeFile(folder / tune::kFlagsFile, tune::responseFile(flags)));
  HONE_CHECK(writeModule(toolchain, program, folder));
  HONE_CHECK(tune::writeResultFile(tuned, folder));  // last: with it, the folder is complete
  if (!context.json) {
    printTuned(program, *toolchain.device);
    printUse(tuned, folder);
  }
  return {};
}

}  // namespace hone::app
