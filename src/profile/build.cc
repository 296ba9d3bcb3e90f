#include "profile/build.h"

#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

namespace hone::profile {
namespace {

using iree::Compiled;
using iree::CompileReport;
using iree::CompileRequest;

constexpr std::string_view kCompilerOutput = "iree_compile_cmd_stdout.mlir";

Result<CompileRequest> requestFor(const Generated& generated, const std::filesystem::path& source,
                                  const BuildOptions& options) {
  CompileRequest request;
  request.source = std::filesystem::absolute(source);
  request.sourceHash = hashBytes(HONE_TRY(readFile(source)));
  request.flags = options.flags;
  request.fresh = options.force;
  for (std::string& flag : generated.flags()) {
    request.flags.push_back(std::move(flag));
  }
  return request;
}

/// Creates `to` atomically, as a hard link or, across file systems, as a copy.
Result<void> placeFile(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::filesystem::path beside = fmt::format("{}.{}", to.string(), ::getpid());
  std::error_code error;
  std::filesystem::remove(beside, error);
  std::filesystem::create_hard_link(from, beside, error);
  if (error) {
    error.clear();
    std::filesystem::copy_file(from, beside, error);
  }
  if (!error) {
    std::filesystem::rename(beside, to, error);
  }
  return error ? Result<void>(machineError("cannot write {}: {}", to.string(), error.message()))
               : Result<void>();
}

Result<void> placeModule(const Compiled& compiled, const std::filesystem::path& folder,
                         const std::string& name) {
  for (const std::string_view purpose : {"profile", "verify"}) {
    HONE_CHECK(placeFile(compiled.module, folder / fmt::format("{}_{}.vmfb", name, purpose)));
  }
  return {};
}

/// Removes the modules of an earlier build, which could be mistaken for those of this one.
void removeModules(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".vmfb") {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

bool isOk(const Compiled& compiled) { return compiled.report.status == CompileReport::Status::ok; }

BuiltDispatch builtFrom(const Generated& generated, const TuningConfig& config,
                        const Compiled& compiled) {
  return {config,          generated.dispatchName(config),
          compiled.module, compiled.content,
          compiled.report, compiled.cached};
}

/// Compiles each configuration of an operation as a separate module, so that one failure does not
/// affect the others.
Result<Built> buildSeparately(iree::Compiler& compiler, const Generated& generated,
                              const BuildOptions& options) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-build"));
  std::vector<CompileRequest> requests;
  for (const TuningConfig& config : generated.configs) {
    const auto source = scratch.path() / fmt::format("{}.mlir", generated.dispatchName(config));
    HONE_CHECK(writeFile(source, generateSource(generated, {config})));
    requests.push_back(HONE_TRY(requestFor(generated, source, options)));
  }
  const auto compiled = HONE_TRY(compiler.compileAll(requests, {}));
  Built built{generated, {}};
  std::string diagnostics;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    built.dispatches.push_back(builtFrom(generated, generated.configs[i], compiled[i]));
    diagnostics += compiled[i].report.diagnostics;
    if (isOk(compiled[i])) {
      HONE_CHECK(placeModule(compiled[i], generated.folder, built.dispatches.back().name));
    }
  }
  HONE_CHECK(writeFile(generated.folder / kCompilerOutput, diagnostics));
  return built;
}

Result<Built> finishWhole(const Generated& generated, const Compiled& compiled) {
  HONE_CHECK(placeModule(compiled, generated.folder, generated.operation.name()));
  HONE_CHECK(writeFile(generated.folder / kCompilerOutput, compiled.report.diagnostics));
  Built built{generated, {}};
  for (const TuningConfig& config : generated.configs) {
    built.dispatches.push_back(builtFrom(generated, config, compiled));
  }
  return built;
}

}  // namespace

Result<std::vector<Built>> build(iree::Compiler& compiler, std::span<const Generated> operations,
                                 const BuildOptions& options, Progress& progress) {
  std::vector<CompileRequest> requests;
  for (const Generated& generated : operations) {
    requests.push_back(HONE_TRY(requestFor(generated, generated.file(".mlir"), options)));
  }
  progress.stage("compile", static_cast<std::int64_t>(requests.size()));
  const auto compiled =
      HONE_TRY(compiler.compileAll(requests, [&](std::size_t, const Compiled& one) {
        progress.step(one.cached ? "cached" : "");
      }));
  std::vector<Built> built;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const Generated& generated = operations[i];
    removeModules(generated.folder);
    built.push_back(isOk(compiled[i]) ? HONE_TRY(finishWhole(generated, compiled[i]))
                                      : HONE_TRY(buildSeparately(compiler, generated, options)));
  }
  return built;
}

}  // namespace hone::profile
