#include "iree/module/problem/recognize.h"

#include <algorithm>
#include <set>
#include <vector>

#include "iree/mlir/mlir_text.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/module/module_walk.h"
#include "iree/module/problem/operation_problem.h"

namespace hone::iree {
namespace {

using model::Activation;
using model::Attention;
using model::Conv;
using model::Matmul;
using model::Problem;
using model::TensorType;

/// The top-level operations of a function.
struct FunctionOperations {
  std::vector<MlirOperation> compute;  ///< all except constants, accumulator setup and the return
  MlirOperation returned{nullptr};
};

FunctionOperations collectOperations(const CompilerApi& api, MlirOperation function) {
  static const std::set<std::string> kSetUp = {"arith.constant", "tensor.empty", "linalg.fill"};
  FunctionOperations operations;
  walk(api, function, [&](MlirOperation operation) {
    if (operation.ptr == function.ptr) {
      return MlirWalkResult::advance;
    }
    const std::string name = api.opName(operation);
    if (name == "func.return" || name == "util.return") {
      operations.returned = operation;
    } else if (!kSetUp.contains(name)) {
      operations.compute.push_back(operation);
    }
    return MlirWalkResult::skip;
  });
  return operations;
}

bool isArgument(const CompilerApi& api, MlirValue value, std::intptr_t number) {
  return api.valueIsArgument(value) && api.argumentNumber(value) == number;
}

/// Returns true if the value is a linalg.fill with a constant zero.
bool isZeroed(const CompilerApi& api, MlirValue value) {
  if (api.valueIsArgument(value)) {
    return false;
  }
  const MlirOperation fill = api.resultOwner(value);
  if (api.opName(fill) != "linalg.fill" || api.valueIsArgument(api.operationOperand(fill, 0))) {
    return false;
  }
  const MlirOperation constant = api.resultOwner(api.operationOperand(fill, 0));
  const std::string text = api.attributeText(constant, "value");
  return text.starts_with("0.000000e+00") || text.starts_with("0 :");
}

/// Recognizes a single operation of the arguments into zeros, with its setup in any order.
std::optional<Problem> plainProblem(const CompilerApi& api, const FunctionOperations& operations) {
  if (operations.compute.size() != 1 || operations.returned.ptr == nullptr ||
      api.operationOperands(operations.returned) != 1) {
    return std::nullopt;
  }
  const MlirOperation operation = operations.compute.front();
  const auto found = readProblem(api, operation);
  if (!found || !found->exact || !isArgument(api, api.operationOperand(operation, 0), 0) ||
      !isArgument(api, api.operationOperand(operation, 1), 1) ||
      !isZeroed(api, api.operationOperand(operation, 2))) {
    return std::nullopt;
  }
  const MlirValue returned = api.operationOperand(operations.returned, 0);
  if (api.valueIsArgument(returned) || api.resultOwner(returned).ptr != operation.ptr) {
    return std::nullopt;
  }
  // The types must match the problem's; this is the last check against a misreading.
  if (readTensorType(api, api.operationOperand(operation, 0)) !=
          model::operandTypes(found->problem)[0] ||
      readTensorType(api, api.operationOperand(operation, 1)) !=
          model::operandTypes(found->problem)[1] ||
      readTensorType(api, api.operationResult(operation, 0)) != model::resultType(found->problem)) {
    return std::nullopt;
  }
  return found->problem;
}

/// Returns the types of the function's arguments; empty unless all are static tensors.
std::vector<TensorType> readArgumentTypes(const CompilerApi& api, MlirOperation function) {
  const MlirType type =
      api.attributeType(api.operationAttribute(function, MlirStringRef::of("function_type")));
  std::vector<TensorType> arguments;
  for (std::intptr_t i = 0; i < api.functionInputs(type); ++i) {
    auto argument = model::tensorTypeFromMlir(api.typeText(api.functionInput(type, i)));
    if (!argument) {
      return {};
    }
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

/// Replaces the padded image of the operation by the function's image and its padding.
Conv unpadded(const CompilerApi& api, Conv conv, const TensorType& image,
              const FunctionOperations& operations) {
  const std::size_t height = conv.layout == model::ConvLayout::nhwc ? 1 : 2;
  if (image.shape.size() == 4) {
    conv.h = image.shape[height];
    conv.w = image.shape[height + 1];
  }
  for (const MlirOperation operation : operations.compute) {
    const auto low = numbersIn(api.attributeText(operation, "static_low"));
    if (api.opName(operation) == "tensor.pad" && low.size() == 4) {
      conv.padH = low[height];
      conv.padW = low[height + 1];
    }
  }
  return conv;
}

std::vector<Problem> withEpilogues(Problem problem, bool bias) {
  std::vector<Problem> problems;
  for (const auto activation :
       {Activation::none, Activation::relu, Activation::gelu, Activation::softmax}) {
    const model::Epilogue epilogue{bias, activation};
    if (auto* matmul = std::get_if<Matmul>(&problem)) {
      matmul->epilogue = epilogue;
    } else {
      std::get<Conv>(problem).epilogue = epilogue;
    }
    problems.push_back(problem);
  }
  return problems;
}

/// Returns the problems that the function may compute, to be compared with the output of
/// emitMlir().
std::vector<Problem> guessesFor(const CompilerApi& api, const FunctionOperations& operations,
                                const std::vector<TensorType>& arguments) {
  for (const MlirOperation operation : operations.compute) {
    if (api.opName(operation) == "iree_linalg_ext.attention" && arguments.size() == 3 &&
        arguments[0].shape.size() == 3 && arguments[1].shape.size() == 3) {
      const auto& query = arguments[0].shape;
      return {Attention{query[0], query[1], arguments[1].shape[1], query[2], arguments[0].element}};
    }
    auto found = readProblem(api, operation);
    if (found && arguments.size() >= 2) {
      if (auto* conv = std::get_if<Conv>(&found->problem)) {
        *conv = unpadded(api, *conv, arguments[0], operations);
      }
      return withEpilogues(found->problem, arguments.size() == 3);
    }
  }
  return {};
}

/// Returns true if the function is exactly what emitMlir() writes for the problem.
bool isWrittenFor(const CompilerApi& api, MlirOperation function, const Problem& problem) {
  const MlirContext context = api.operationContext(function);
  const std::string text = emitMlir(problem);
  const MlirOperation written =
      api.operationParse(context, MlirStringRef::of(text), MlirStringRef::of("problem"));
  if (written.ptr == nullptr) {
    return false;
  }
  api.operationSetAttribute(written, MlirStringRef::of("sym_name"),
                            api.operationAttribute(function, MlirStringRef::of("sym_name")));
  const bool same = api.fullText(written) == api.fullText(function);
  api.operationErase(written);
  return same;
}

}  // namespace

std::optional<Problem> recognizeProblem(const CompilerApi& api, MlirOperation function) {
  const FunctionOperations operations = collectOperations(api, function);
  if (auto plain = plainProblem(api, operations)) {
    return plain;
  }
  for (const Problem& guess : guessesFor(api, operations, readArgumentTypes(api, function))) {
    if (model::check(guess) && isWrittenFor(api, function, guess)) {
      return guess;
    }
  }
  return std::nullopt;
}

}  // namespace hone::iree
