#include "iree/compile/dispatch_programs.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"

namespace hone::iree {
namespace {

/// Returns the first root of the dispatch, or an empty root if it has none.
model::RootOperation rootFor(std::span<const model::RootOperation> roots,
                             const std::string& dispatch) {
  const auto at = std::find_if(roots.begin(), roots.end(), [&](const model::RootOperation& root) {
    return root.dispatch == dispatch;
  });
  if (at != roots.end()) {
    return *at;
  }
  model::RootOperation none;
  none.dispatch = dispatch;
  return none;
}

Result<std::filesystem::path> writeSource(const std::filesystem::path& folder,
                                          const CompileRequest& request,
                                          const DispatchProgram& program, const std::string& text) {
  std::filesystem::path file = folder / (program.name + ".mlir");
  HONE_CHECK(
      writeFile(file, fmt::format("// A dispatch of {}; compile it with --compile-from={}.\n{}",
                                  request.displayName(), program.from, text)));
  return file;
}

/// Lists the roots of an extracted benchmark. The dump itself is already configured, so its roots
/// cannot be read from it.
Result<std::vector<model::RootOperation>> rootsFor(Compiler& compiler,
                                                   const CompileRequest& request,
                                                   const DispatchProgram& program) {
  CompileRequest one = request;
  one.source = program.source;
  one.sourceHash = hashBytes(HONE_TRY(readFile(program.source)));
  return listRoots(compiler, one);
}

}  // namespace

Result<std::vector<model::RootOperation>> listRoots(Compiler& compiler,
                                                    const CompileRequest& request) {
  return compiler.ask(request, ListRootsJob{});
}

Result<std::vector<DispatchProgram>> dispatchPrograms(Compiler& compiler,
                                                      const CompileRequest& request,
                                                      const std::filesystem::path& folder) {
  const Activity extracting("extracting the dispatches");
  const auto found = HONE_TRY(compiler.ask(request, ListDispatchesJob{}));
  const bool benchmark = request.from == kPhaseExecutableSources;
  std::vector<model::RootOperation> roots;
  if (!benchmark) {
    roots = HONE_TRY(listRoots(compiler, request));
  }
  std::vector<DispatchProgram> programs;
  std::map<std::string, std::size_t> known;  // by fingerprint
  for (const DispatchDescription& dispatch : found) {
    const auto [at, added] = known.emplace(dispatch.fingerprint, programs.size());
    if (added) {
      DispatchProgram program;
      program.name = dispatch.entries.empty() ? dispatch.dispatch : dispatch.entries.front();
      program.root = rootFor(roots, dispatch.dispatch);
      programs.push_back(std::move(program));
    }
    DispatchProgram& program = programs[at->second];
    program.dispatches.push_back(dispatch.dispatch);
    program.entries.insert(program.entries.end(), dispatch.entries.begin(), dispatch.entries.end());
    program.calls += dispatch.calls;
    if (!program.source.empty()) {
      continue;
    }
    program.skipReason = dispatch.skipReason;
    if (program.skipReason.empty()) {
      program.function = dispatch.function;
      program.inputTypes = dispatch.inputs;
      program.resultTypes = dispatch.results;
      program.from = benchmark ? kPhaseExecutableSources : kPhaseFlow;
      program.source = HONE_TRY(writeSource(folder, request, program, dispatch.text));
      if (benchmark) {
        roots = HONE_TRY(rootsFor(compiler, request, program));
      }
      program.root = rootFor(roots, dispatch.dispatch);
    }
  }
  return programs;
}

}  // namespace hone::iree
