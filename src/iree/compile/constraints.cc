#include "iree/compile/constraints.h"

#include <algorithm>

#include "base/progress.h"

namespace hone::iree {
namespace {

/// Returns the attributes in `member` that the compiler derives from the assignments.
Result<std::vector<std::string>> materialize(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments,
    std::vector<std::string> ProgramConstraints::* member) {
  if (assignments.empty()) {
    return std::vector<std::string>();
  }
  auto found = HONE_TRY(compiler.ask(
      request, ListConstraintsJob{.assignments = {assignments.begin(), assignments.end()}}));
  return std::move(found.*member);
}

}  // namespace

Result<std::vector<PipelineConstraints>> queryConstraints(Compiler& compiler,
                                                          const CompileRequest& request) {
  const Activity reading("reading the compiler's constraints");
  return std::move(HONE_TRY(compiler.ask(request, ListConstraintsJob{})).constraints);
}

Result<std::vector<std::string>> compilationInfos(Compiler& compiler, const CompileRequest& request,
                                                  std::span<const KnobAssignment> assignments) {
  return materialize(compiler, request, assignments, &ProgramConstraints::compilationInfos);
}

Result<std::vector<std::string>> decompositionConfigs(Compiler& compiler,
                                                      const CompileRequest& request,
                                                      std::span<const KnobAssignment> assignments) {
  return materialize(compiler, request, assignments, &ProgramConstraints::decompositionConfigs);
}

std::string findDecompositionConfig(const model::Config& config) {
  const auto at =
      std::find_if(config.attributes.begin(), config.attributes.end(),
                   [](const model::OpAttribute& one) { return one.name == kDecompositionConfig; });
  return at == config.attributes.end() ? "" : at->value;
}

}  // namespace hone::iree
