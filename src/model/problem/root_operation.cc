#include "model/problem/root_operation.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/result/json_reader.h"

namespace hone::model {
namespace {

constexpr std::array<std::pair<RootKind, std::string_view>, 8> kRootNames = {{
    {RootKind::contraction, "contraction"},
    {RootKind::convolution, "convolution"},
    {RootKind::attention, "attention"},
    {RootKind::mmt4d, "mmt4d"},
    {RootKind::reduction, "reduction"},
    {RootKind::elementwise, "elementwise"},
    {RootKind::packing, "packing"},
    {RootKind::other, "other"},
}};

nlohmann::json operandsJson(const std::vector<RootOperand>& operands) {
  nlohmann::json list = nlohmann::json::array();
  for (const RootOperand& operand : operands) {
    list.push_back(
        {{"shape", operand.shape}, {"element", operand.element}, {"loops", operand.loops}});
  }
  return list;
}

Result<std::vector<RootOperand>> operandsFrom(const nlohmann::json& list) {
  std::vector<RootOperand> operands;
  for (const nlohmann::json& json : list) {
    RootOperand operand;
    JsonReader reader(json, "operand");
    reader.required("shape", operand.shape);
    reader.required("element", operand.element);
    reader.required("loops", operand.loops);
    HONE_CHECK(reader.finish());
    operands.push_back(std::move(operand));
  }
  return operands;
}

nlohmann::json loopsJson(const std::vector<Loop>& loops) {
  nlohmann::json list = nlohmann::json::array();
  for (const Loop& loop : loops) {
    list.push_back({{"size", loop.size}, {"reduction", loop.reduction}});
  }
  return list;
}

Result<std::vector<Loop>> loopsFrom(const nlohmann::json& list) {
  std::vector<Loop> loops;
  for (const nlohmann::json& one : list) {
    Loop loop;
    JsonReader reader(one, "loop");
    reader.required("size", loop.size);
    reader.required("reduction", loop.reduction);
    HONE_CHECK(reader.finish());
    loops.push_back(loop);
  }
  return loops;
}

Result<std::vector<CompanionOperation>> companionsFrom(const nlohmann::json& list) {
  std::vector<CompanionOperation> companions;
  for (const nlohmann::json& one : list) {
    CompanionOperation companion;
    nlohmann::json loops = nlohmann::json::array();
    JsonReader reader(one, "companion");
    reader.required("op", companion.op);
    reader.required("loops", loops);
    reader.required("lowering_config", companion.loweringConfig);
    HONE_CHECK(reader.finish());
    companion.loops = HONE_TRY(loopsFrom(loops));
    companions.push_back(std::move(companion));
  }
  return companions;
}

}  // namespace

std::string_view nameOf(RootKind kind) {
  for (const auto& [known, name] : kRootNames) {
    if (known == kind) {
      return name;
    }
  }
  return "other";
}

std::string_view describeWork(std::string_view dispatch, const RootOperation& root) {
  const auto hasName = [&](std::string_view part) { return dispatch.contains(part); };
  if (root.op.empty() || root.kind == RootKind::other) {
    if (hasName("memcpy")) {
      return "copy";
    }
    return hasName("fill") || hasName("memset") ? "fill" : nameOf(root.kind);
  }
  if (root.kind != RootKind::elementwise) {
    return nameOf(root.kind);
  }
  const bool windows = std::ranges::any_of(root.inputs, [](const RootOperand& input) {
    return std::ranges::any_of(input.loops, [](const auto& loops) { return loops.size() > 1; });
  });
  if (windows) {
    return "copy of windows";
  }
  if (hasName("transpose")) {
    return "transpose";
  }
  return hasName("memcpy") ? "copy" : nameOf(root.kind);
}

nlohmann::json toJson(const RootOperation& root) {
  nlohmann::json json = {{"dispatch", root.dispatch},
                         {"op", root.op},
                         {"ordinal", root.ordinal},
                         {"attachable", root.attachable},
                         {"kind", nameOf(root.kind)},
                         {"loops", loopsJson(root.loops)},
                         {"inputs", operandsJson(root.inputs)},
                         {"outputs", operandsJson(root.outputs)},
                         {"lowering_config", root.loweringConfig},
                         {"translation_info", root.translationInfo}};
  for (const CompanionOperation& one : root.companions) {
    json["companions"].push_back(
        {{"op", one.op}, {"loops", loopsJson(one.loops)}, {"lowering_config", one.loweringConfig}});
  }
  return json;
}

Result<RootOperation> rootOperationFrom(const nlohmann::json& json) {
  RootOperation root;
  JsonReader reader(json, "root operation");
  std::string kind;
  nlohmann::json loops = nlohmann::json::array();
  nlohmann::json inputs = nlohmann::json::array();
  nlohmann::json outputs = nlohmann::json::array();
  nlohmann::json companions = nlohmann::json::array();
  reader.required("dispatch", root.dispatch);
  reader.required("op", root.op);
  reader.required("ordinal", root.ordinal);
  reader.required("attachable", root.attachable);
  reader.required("kind", kind);
  reader.required("loops", loops);
  reader.required("inputs", inputs);
  reader.required("outputs", outputs);
  reader.required("lowering_config", root.loweringConfig);
  reader.required("translation_info", root.translationInfo);
  reader.optional("companions", companions);
  HONE_CHECK(reader.finish());
  root.loops = HONE_TRY(loopsFrom(loops));
  root.companions = HONE_TRY(companionsFrom(companions));
  root.inputs = HONE_TRY(operandsFrom(inputs));
  root.outputs = HONE_TRY(operandsFrom(outputs));
  for (const auto& [known, name] : kRootNames) {
    if (kind == name) {
      root.kind = known;
      return root;
    }
  }
  return userError("root operation: unknown kind '{}'", kind);
}

}  // namespace hone::model
