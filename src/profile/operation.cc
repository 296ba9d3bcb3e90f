#include "profile/operation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/problem/profiler_name.h"
#include "model/result/json_reader.h"

namespace hone::profile {
namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;
constexpr std::string_view kNone = "N/A";

std::string operandText(model::ElementType type, bool columnMajor) {
  return fmt::format("{}{}", model::profilerType(type), columnMajor ? 'n' : 't');
}

void addFused(const model::Epilogue& epilogue, Arguments& arguments) {
  if (!epilogue.isNone()) {
    arguments.emplace_back("epilogue", epilogue.text());
  }
}

Arguments argumentsFor(const model::Matmul& matmul, std::int64_t slices) {
  Arguments arguments = {
      {"batch_count", std::to_string(std::max<std::int64_t>(matmul.batch, 1))},
      {"m", std::to_string(matmul.m)},
      {"n", std::to_string(matmul.n)},
      {"k", std::to_string(matmul.k)},
      {"lhs", operandText(matmul.lhs, matmul.transposeLhs)},
      {"rhs", operandText(matmul.rhs, matmul.transposeRhs)},
      {"result", operandText(matmul.result, false)},
      {"split_k_mode", std::string(slices > 0 ? "parallel" : kNone)},
      {"split_k_slices", slices > 0 ? std::to_string(slices) : std::string(kNone)}};
  addFused(matmul.epilogue, arguments);
  return arguments;
}

Arguments argumentsFor(const model::Conv& conv, std::int64_t /*slices*/) {
  const auto sizes = [&](std::int64_t model::ConvAxis::* part) {
    std::vector<std::int64_t> values;
    for (const model::ConvAxis& axis : conv.axes()) {
      values.push_back(axis.*part);
    }
    return fmt::format("{}", fmt::join(values, "x"));
  };
  using model::ConvAxis;
  Arguments arguments = {{"direction", std::string(nameOf(conv.direction))},
                         {"n", std::to_string(conv.n)},
                         {"c", std::to_string(conv.c)},
                         {"image", sizes(&ConvAxis::image)},
                         {"k", std::to_string(conv.k)},
                         {"filter", sizes(&ConvAxis::filter)},
                         {"groups", std::to_string(conv.groups)},
                         {"stride", sizes(&ConvAxis::stride)},
                         {"pad", sizes(&ConvAxis::pad)},
                         {"dilation", sizes(&ConvAxis::dilation)},
                         {"layout", std::string(layoutName(conv))},
                         {"input", std::string(model::profilerType(conv.input))},
                         {"result", std::string(model::profilerType(conv.result))}};
  addFused(conv.epilogue, arguments);
  return arguments;
}

Arguments argumentsFor(const model::Attention& attention, std::int64_t /*slices*/) {
  return {{"batch_count", std::to_string(attention.batch)},
          {"queries", std::to_string(attention.queries)},
          {"keys", std::to_string(attention.keys)},
          {"head_dim", std::to_string(attention.depth)},
          {"type", std::string(model::profilerType(attention.type))}};
}

}  // namespace

std::string Operation::kind() const {
  const std::string kind = model::profilerKind(problem);
  return splitKSlices.empty() ? kind : fmt::format("split_k_{}", kind);
}

std::string Operation::name() const {
  const std::string name = model::profilerName(problem);
  constexpr std::string_view kMatmul = "matmul";
  return splitKSlices.empty() ? name : fmt::format("matmul_splitk{}", name.substr(kMatmul.size()));
}

Arguments listArguments(const Operation& operation, std::int64_t slices) {
  return std::visit([&](const auto& problem) { return argumentsFor(problem, slices); },
                    operation.problem);
}

nlohmann::json toJson(const Operation& operation) {
  nlohmann::json json = {{"problem", toJson(operation.problem)}};
  if (!operation.splitKSlices.empty()) {
    json["split_k_slices"] = operation.splitKSlices;
  }
  return json;
}

Result<Operation> operationFrom(const nlohmann::json& json) {
  model::JsonReader reader(json, "operation");
  nlohmann::json problem;
  Operation operation;
  reader.required("problem", problem);
  reader.optional("split_k_slices", operation.splitKSlices);
  HONE_CHECK(reader.finish());
  operation.problem = HONE_TRY(model::problemFrom(problem));
  return operation;
}

}  // namespace hone::profile
