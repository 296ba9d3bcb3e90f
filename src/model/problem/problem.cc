#include "model/problem/problem.h"

#include <nlohmann/json.hpp>

namespace hone::model {
namespace {

Result<void> checkCountable(const Problem& problem) {
  std::vector<TensorType> tensors = operandTypes(problem);
  tensors.push_back(resultType(problem));
  for (const TensorType& tensor : tensors) {
    if (!tensor.countable()) {
      return userError("tensor {} is too large: its size overflows 63 bits", tensor.text());
    }
  }
  return {};
}

Result<Problem> anyFrom(const std::string& kind, const nlohmann::json& json) {
  if (kind == "matmul") {
    return HONE_TRY(matmulFrom(json));
  }
  if (kind == "conv") {
    return HONE_TRY(convFrom(json));
  }
  if (kind == "attention") {
    return HONE_TRY(attentionFrom(json));
  }
  return userError("problem: 'kind' must be \"matmul\", \"conv\" or \"attention\"");
}

}  // namespace

Result<void> check(const Problem& problem) {
  HONE_CHECK(std::visit([](const auto& kind) { return checkSizes(kind); }, problem));
  return checkCountable(problem);
}

std::string nameOf(const Problem& problem) {
  return std::visit([](const auto& kind) { return nameOf(kind); }, problem);
}

std::vector<TensorType> operandTypes(const Problem& problem) {
  return std::visit([](const auto& kind) { return operandTypes(kind); }, problem);
}

TensorType resultType(const Problem& problem) {
  return std::visit([](const auto& kind) { return resultType(kind); }, problem);
}

std::int64_t reductionLength(const Problem& problem) {
  return std::visit([](const auto& kind) { return reductionLength(kind); }, problem);
}

double countFlops(const Problem& problem) {
  return std::visit([](const auto& kind) { return countFlops(kind); }, problem);
}

double countBytes(const Problem& problem) {
  double bytes = static_cast<double>(resultType(problem).bytes());
  for (const TensorType& operand : operandTypes(problem)) {
    bytes += static_cast<double>(operand.bytes());
  }
  return bytes;
}

Epilogue findEpilogue(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return matmul->epilogue;
  }
  const auto* conv = std::get_if<Conv>(&problem);
  return conv != nullptr ? conv->epilogue : Epilogue{};
}

nlohmann::json toJson(const Problem& problem) {
  return std::visit([](const auto& kind) { return toJson(kind); }, problem);
}

Result<Problem> problemFrom(const nlohmann::json& json) {
  const bool hasKind = json.is_object() && json.contains("kind") && json["kind"].is_string();
  Problem problem = HONE_TRY(anyFrom(hasKind ? json["kind"].get<std::string>() : "", json));
  HONE_CHECK(check(problem));
  return problem;
}

}  // namespace hone::model
