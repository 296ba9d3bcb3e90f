#include "iree/recognize.h"

#include <set>
#include <vector>

#include "base/text.h"

namespace hone::iree {
namespace {

using model::Conv;
using model::Matmul;
using model::Problem;
using model::TensorType;

struct Work {
  std::vector<MlirOperation> heavy;  ///< all that is neither a constant nor set-up nor the return
  MlirOperation returned{nullptr};
};

struct Collector {
  const CompilerApi& api;
  MlirOperation function{};
  Work work;
};

MlirWalkResult collectOne(MlirOperation operation, void* state) {
  auto& collector = *static_cast<Collector*>(state);
  if (operation.ptr == collector.function.ptr) {
    return MlirWalkResult::advance;
  }
  static const std::set<std::string> kSetUp = {"arith.constant", "tensor.empty", "linalg.fill"};
  const std::string name = collector.api.nameOf(operation);
  if (name == "func.return" || name == "util.return") {
    collector.work.returned = operation;
  } else if (!kSetUp.contains(name)) {
    collector.work.heavy.push_back(operation);
  }
  return MlirWalkResult::skip;
}

std::optional<TensorType> tensorOf(const CompilerApi& api, MlirValue value) {
  const std::string text = api.typeText(api.valueType(value));
  if (!text.starts_with("tensor<") || !text.ends_with(">")) {
    return std::nullopt;
  }
  auto type = model::tensorTypeFrom(text.substr(7, text.size() - 8));
  return type ? std::optional(*type) : std::nullopt;
}

bool isArgument(const CompilerApi& api, MlirValue value, std::intptr_t number) {
  return api.valueIsArgument(value) && api.argumentNumber(value) == number;
}

/// The accumulator is a linalg.fill with a constant zero.
bool isZeroed(const CompilerApi& api, MlirValue value) {
  if (api.valueIsArgument(value)) {
    return false;
  }
  const MlirOperation fill = api.resultOwner(value);
  if (api.nameOf(fill) != "linalg.fill" || api.valueIsArgument(api.operationOperand(fill, 0))) {
    return false;
  }
  const MlirOperation constant = api.resultOwner(api.operationOperand(fill, 0));
  const std::string text = api.attributeText(constant, "value");
  return text.starts_with("0.000000e+00") || text.starts_with("0 :");
}

/// Exactly the maps of a matmul with its operands as they are or transposed; nothing for others.
struct Transposes {
  bool lhs = false;
  bool rhs = false;
};

std::optional<Transposes> transposesFrom(const std::string& maps, bool batch) {
  const std::string dims = batch ? "(d0, d1, d2, d3)" : "(d0, d1, d2)";
  const std::string b = batch ? "d0, " : "";
  const std::string m = batch ? "d1" : "d0";
  const std::string n = batch ? "d2" : "d1";
  const std::string k = batch ? "d3" : "d2";
  const auto map = [&](const std::string& row, const std::string& column) {
    return fmt::format("affine_map<{} -> ({}{}, {})>", dims, b, row, column);
  };
  for (const bool lhs : {false, true}) {
    for (const bool rhs : {false, true}) {
      const std::string want = fmt::format("[{}, {}, {}]", lhs ? map(k, m) : map(m, k),
                                           rhs ? map(n, k) : map(k, n), map(m, n));
      if (maps == want) {
        return Transposes{lhs, rhs};
      }
    }
  }
  return std::nullopt;
}

std::optional<Problem> matmulFrom(const CompilerApi& api, MlirOperation operation,
                                  const TensorType& lhs, const TensorType& rhs,
                                  const TensorType& result, bool batch) {
  Transposes transposes;
  if (const std::string maps = api.attributeText(operation, "indexing_maps"); !maps.empty()) {
    const auto read = transposesFrom(maps, batch);
    if (!read) {
      return std::nullopt;
    }
    transposes = *read;
  }
  const std::size_t rank = batch ? 3 : 2;
  if (lhs.shape.size() != rank || rhs.shape.size() != rank || result.shape.size() != rank) {
    return std::nullopt;
  }
  const std::size_t row = rank - 2;
  Matmul matmul;
  matmul.batch = batch ? result.shape[0] : 0;
  matmul.m = result.shape[row];
  matmul.n = result.shape[row + 1];
  matmul.k = lhs.shape[transposes.lhs ? row : row + 1];
  matmul.transposeLhs = transposes.lhs;
  matmul.transposeRhs = transposes.rhs;
  matmul.lhs = lhs.element;
  matmul.rhs = rhs.element;
  matmul.result = result.element;
  return matmul;
}

/// The two numbers of "dense<[1, 2]> : tensor<2xi64>" or "dense<1> : …"; 1 and 1 when absent.
std::optional<std::pair<std::int64_t, std::int64_t>> pairFrom(const std::string& text) {
  if (text.empty()) {
    return std::pair<std::int64_t, std::int64_t>{1, 1};
  }
  const auto open = text.find('<');
  const auto close = text.find('>');
  if (open == std::string::npos || close == std::string::npos) {
    return std::nullopt;
  }
  std::string inside = text.substr(open + 1, close - open - 1);
  std::erase_if(inside, [](char c) { return c == '[' || c == ']' || c == ' '; });
  const auto parts = split(inside, ',');
  const auto first = parseInt(parts.front());
  const auto second = parseInt(parts.back());
  if (!first || !second || parts.size() > 2) {
    return std::nullopt;
  }
  return std::pair{*first, *second};
}

std::optional<Problem> convFrom(const CompilerApi& api, MlirOperation operation,
                                const TensorType& image, const TensorType& filter,
                                const TensorType& result, model::ConvLayout layout) {
  const auto strides = pairFrom(api.attributeText(operation, "strides"));
  const auto dilations = pairFrom(api.attributeText(operation, "dilations"));
  if (!strides || !dilations || image.shape.size() != 4 || filter.shape.size() != 4 ||
      image.element != filter.element) {
    return std::nullopt;
  }
  const bool nhwc = layout == model::ConvLayout::nhwc;
  Conv conv;
  conv.layout = layout;
  conv.n = image.shape[0];
  conv.c = image.shape[nhwc ? 3 : 1];
  conv.h = image.shape[nhwc ? 1 : 2];
  conv.w = image.shape[nhwc ? 2 : 3];
  conv.k = filter.shape[0];
  conv.y = filter.shape[nhwc ? 1 : 2];
  conv.x = filter.shape[nhwc ? 2 : 3];
  std::tie(conv.strideH, conv.strideW) = *strides;
  std::tie(conv.dilationH, conv.dilationW) = *dilations;
  conv.input = image.element;
  conv.result = result.element;
  return conv;
}

std::optional<Problem> problemOf(const CompilerApi& api, MlirOperation operation) {
  const auto lhs = tensorOf(api, api.operationOperand(operation, 0));
  const auto rhs = tensorOf(api, api.operationOperand(operation, 1));
  const auto result = tensorOf(api, api.operationResult(operation, 0));
  if (!lhs || !rhs || !result) {
    return std::nullopt;
  }
  if (api.attributeText(operation, "cast").contains("unsigned")) {
    return std::nullopt;
  }
  const std::string name = api.nameOf(operation);
  if (name == "linalg.matmul" || name == "linalg.batch_matmul") {
    return matmulFrom(api, operation, *lhs, *rhs, *result, name == "linalg.batch_matmul");
  }
  if (name == "linalg.conv_2d_nhwc_fhwc") {
    return convFrom(api, operation, *lhs, *rhs, *result, model::ConvLayout::nhwc);
  }
  if (name == "linalg.conv_2d_nchw_fchw") {
    return convFrom(api, operation, *lhs, *rhs, *result, model::ConvLayout::nchw);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> recognizeProblem(const CompilerApi& api, MlirOperation function) {
  Collector collector{api, function, {}};
  api.operationWalk(function, collectOne, &collector, MlirWalkOrder::preOrder);
  const Work& work = collector.work;
  if (work.heavy.size() != 1 || work.returned.ptr == nullptr ||
      api.operationOperands(work.returned) != 1) {
    return std::nullopt;
  }
  const MlirOperation operation = work.heavy.front();
  if (api.operationOperands(operation) != 3 || api.operationResults(operation) != 1 ||
      !isArgument(api, api.operationOperand(operation, 0), 0) ||
      !isArgument(api, api.operationOperand(operation, 1), 1) ||
      !isZeroed(api, api.operationOperand(operation, 2))) {
    return std::nullopt;
  }
  const MlirValue returned = api.operationOperand(work.returned, 0);
  if (api.valueIsArgument(returned) || api.resultOwner(returned).ptr != operation.ptr) {
    return std::nullopt;
  }
  auto problem = problemOf(api, operation);
  // What the types say must be what the problem says: the last line against a misreading.
  if (!problem || !model::check(*problem) ||
      tensorOf(api, api.operationOperand(operation, 0)) != model::operandsOf(*problem)[0] ||
      tensorOf(api, api.operationOperand(operation, 1)) != model::operandsOf(*problem)[1] ||
      tensorOf(api, api.operationResult(operation, 0)) != model::resultOf(*problem)) {
    return std::nullopt;
  }
  return problem;
}

}  // namespace hone::iree
