#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/execution.h"

namespace hone::iree {

/// Provides the real compiler and the synchronous CPU device, with a scratch folder, to tests.
struct TestToolchain {
  ScratchFolder folder = ScratchFolder::create("hone-iree-test").value();
  Installation installation = findInstallation("").value();
  Compiler compiler{CompilePool::start({installation.compilerLibrary(), 2, {}}).value(),
                    ArtifactCache(folder.path() / "cache"),
                    Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U}};
  ModuleRunner runner{installation, deviceNamed("local-sync"), Limits{std::chrono::seconds(30), 0}};

  [[nodiscard]] CompileRequest request(const std::filesystem::path& file) const {
    return {file, hashBytes(readFile(file).value()), targetFrom("local")->flags, {}};
  }
  [[nodiscard]] CompileRequest request(const std::string& text, const std::string& name) const {
    const auto file = folder.path() / name;
    (void)writeFile(file, text);
    return request(file);
  }
  [[nodiscard]] Compiled compile(const CompileRequest& one) {
    const std::vector<CompileRequest> requests = {one};
    return compiler.compileAll(requests, {}).value().front();
  }
};

}  // namespace hone::iree
