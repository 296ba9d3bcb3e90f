#include "iree/mlir/problem_mlir.h"

#include <fmt/ranges.h>

#include <array>

#include "iree/mlir/attention_mlir.h"
#include "iree/mlir/conv_mlir.h"
#include "iree/mlir/matmul_mlir.h"

namespace hone::iree {
namespace {

Value writeBody(Body& body, const model::Problem& problem, std::span<const Value> operands) {
  if (const auto* matmul = std::get_if<model::Matmul>(&problem)) {
    return matmulBody(body, *matmul, operands);
  }
  if (const auto* conv = std::get_if<model::Conv>(&problem)) {
    return convBody(body, *conv, operands);
  }
  return attentionBody(body, std::get<model::Attention>(problem), operands);
}

}  // namespace

std::string emitMlir(const model::Problem& problem, std::string_view function,
                     std::string_view rootAttributes) {
  constexpr std::array<std::string_view, 3> kNames = {"%first", "%second", "%third"};
  std::vector<Value> operands;
  std::vector<std::string> arguments;
  for (const model::TensorType& type : operandTypes(problem)) {
    operands.push_back({std::string(kNames[operands.size()]), type});
    arguments.push_back(fmt::format("{}: {}", operands.back().name, operands.back().text()));
  }
  Body body(rootAttributes);
  const Value result = writeBody(body, problem, operands);
  return fmt::format(
      "func.func @{}({}) -> {} {{\n"
      "{}"
      "  return {} : {}\n"
      "}}\n",
      function, fmt::join(arguments, ", "), result.text(), body.text(), result.name, result.text());
}

}  // namespace hone::iree
