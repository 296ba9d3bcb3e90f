#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/execution.h"

namespace hone::engine {

/// The real compiler and the synchronous CPU device in a scratch folder, for tests.
struct TestToolchain {
  ScratchFolder folder = ScratchFolder::create("hone-trial-test").value();
  iree::Installation installation = iree::findInstallation("").value();
  std::vector<std::string> flags = iree::targetFrom("local")->flags;
  iree::Compiler compiler{iree::CompilePool::start({installation.compilerLibrary(), 2, {}}).value(),
                          iree::ArtifactCache(folder.path() / "cache"),
                          Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U}};
  iree::ModuleRunner runner{installation, iree::deviceNamed("local-sync"),
                            Limits{std::chrono::seconds(30), 0}};

  [[nodiscard]] Result<Program> load(const std::string& text, const std::string& function = "",
                                     const std::string& name = "program.mlir") {
    const auto file = folder.path() / name;
    HONE_CHECK(writeFile(file, text));
    return loadProgram(compiler, {.file = file, .function = function, .flags = flags});
  }
};

}  // namespace hone::engine
