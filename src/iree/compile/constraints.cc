#include "iree/compile/constraints.h"

#include <algorithm>

namespace hone::iree {
namespace {

/// The attributes of the assignments that the job's result has under this name.
Result<std::vector<std::string>> materialized(Compiler& compiler, const CompileRequest& request,
                                              std::span<const KnobAssignment> assignments,
                                              const char* name) {
  if (assignments.empty()) {
    return std::vector<std::string>();
  }
  const nlohmann::json found =
      HONE_TRY(compiler.constraints(request, {assignments.begin(), assignments.end()}));
  return found.at(name).get<std::vector<std::string>>();
}

}  // namespace

Result<std::vector<PipelineConstraints>> constraintsOf(Compiler& compiler,
                                                       const CompileRequest& request) {
  const nlohmann::json found = HONE_TRY(compiler.constraints(request, {}));
  std::vector<PipelineConstraints> all;
  for (const nlohmann::json& entry : found.at("constraints")) {
    PipelineConstraints one{entry.at("dispatch"), entry.at("pipeline"), {}, entry.at("smt")};
    for (const nlohmann::json& knob : entry.at("knobs")) {
      one.knobs.push_back({knob.at("name"), knob.at("place"), knob.at("options")});
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::vector<std::string>> compilationInfos(Compiler& compiler, const CompileRequest& request,
                                                  std::span<const KnobAssignment> assignments) {
  return materialized(compiler, request, assignments, "infos");
}

Result<std::vector<std::string>> decompositionConfigs(Compiler& compiler,
                                                      const CompileRequest& request,
                                                      std::span<const KnobAssignment> assignments) {
  return materialized(compiler, request, assignments, "decompositions");
}

std::string decompositionOf(const model::Config& config) {
  const auto at =
      std::find_if(config.attributes.begin(), config.attributes.end(),
                   [](const model::OpAttribute& one) { return one.name == kDecompositionConfig; });
  return at == config.attributes.end() ? "" : at->value;
}

}  // namespace hone::iree
