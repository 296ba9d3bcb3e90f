#include "iree/constraints.h"

namespace hone::iree {

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
  if (assignments.empty()) {
    return std::vector<std::string>();
  }
  const nlohmann::json found =
      HONE_TRY(compiler.constraints(request, {assignments.begin(), assignments.end()}));
  return found.at("infos").get<std::vector<std::string>>();
}

}  // namespace hone::iree
