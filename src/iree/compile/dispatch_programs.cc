#include "iree/compile/dispatch_programs.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/hash.h"

namespace hone::iree {
namespace {

/// The root of the dispatch: the first, where it has several.
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
  HONE_CHECK(writeFile(
      file, fmt::format("// A dispatch of {}; the compiler takes it with --compile-from={}.\n{}",
                        request.source.filename().string(), program.from, text)));
  return file;
}

/// The roots by the dispatches: of a whole program, or of the only dispatch of a benchmark, which
/// the compiler configured before it wrote it.
Result<std::vector<model::RootOperation>> rootsFor(Compiler& compiler,
                                                   const CompileRequest& request,
                                                   const DispatchProgram& program) {
  CompileRequest one = request;
  one.source = program.source;
  one.sourceHash = hashOf(HONE_TRY(readFile(program.source)));
  return rootsOf(compiler, one);
}

}  // namespace

Result<std::vector<model::RootOperation>> rootsOf(Compiler& compiler,
                                                  const CompileRequest& request) {
  std::vector<model::RootOperation> roots;
  const nlohmann::json found = HONE_TRY(compiler.roots(request));
  for (const nlohmann::json& entry : found) {
    roots.push_back(HONE_TRY(model::rootOperationFrom(entry)));
  }
  return roots;
}

Result<std::vector<DispatchProgram>> dispatchPrograms(Compiler& compiler,
                                                      const CompileRequest& request,
                                                      const std::filesystem::path& folder) {
  const nlohmann::json found = HONE_TRY(compiler.dispatches(request));
  const bool benchmark = request.from == kPhaseExecutableSources;
  std::vector<model::RootOperation> roots;
  if (!benchmark) {
    roots = HONE_TRY(rootsOf(compiler, request));
  }
  std::vector<DispatchProgram> programs;
  std::map<std::string, std::size_t> known;  // by fingerprint
  for (const nlohmann::json& entry : found) {
    const auto dispatch = entry.at("dispatch").get<std::string>();
    const auto entries = entry.at("entries").get<std::vector<std::string>>();
    const auto [at, added] =
        known.emplace(entry.at("fingerprint").get<std::string>(), programs.size());
    if (added) {
      DispatchProgram program;
      program.name = entries.empty() ? dispatch : entries.front();
      program.root = rootFor(roots, dispatch);
      programs.push_back(std::move(program));
    }
    DispatchProgram& program = programs[at->second];
    program.dispatches.push_back(dispatch);
    program.entries.insert(program.entries.end(), entries.begin(), entries.end());
    program.calls += entry.at("calls").get<std::int64_t>();
    if (!program.source.empty()) {
      continue;
    }
    program.whyNot = entry.at("why_not").get<std::string>();
    if (program.whyNot.empty()) {
      program.function = entry.at("function").get<std::string>();
      program.inputTypes = entry.at("inputs").get<std::vector<std::string>>();
      program.resultTypes = entry.at("results").get<std::vector<std::string>>();
      program.from = benchmark ? kPhaseExecutableSources : kPhaseFlow;
      program.source =
          HONE_TRY(writeSource(folder, request, program, entry.at("text").get<std::string>()));
      if (benchmark) {
        roots = HONE_TRY(rootsFor(compiler, request, program));
      }
      program.root = rootFor(roots, dispatch);
    }
  }
  return programs;
}

std::vector<DispatchCost> dispatchCosts(std::span<const DispatchProgram> programs,
                                        std::span<const DispatchTime> times) {
  double allNs = 0;
  for (const DispatchTime& time : times) {
    allNs += time.totalNs;
  }
  std::vector<DispatchCost> costs;
  for (const DispatchProgram& program : programs) {
    DispatchCost cost;
    for (const DispatchTime& time : times) {
      if (std::find(program.entries.begin(), program.entries.end(), time.name) !=
          program.entries.end()) {
        cost.calls += time.calls;
        cost.totalNs += time.totalNs;
      }
    }
    cost.share = allNs > 0 ? cost.totalNs / allNs : 0;
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace hone::iree
