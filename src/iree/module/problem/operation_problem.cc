#include "iree/module/problem/operation_problem.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using model::Conv;
using model::ConvLayout;
using model::Matmul;
using model::Problem;
using model::TensorType;

/// The operands of a matmul that are transposed.
struct Transposes {
  bool lhs = false;
  bool rhs = false;
};

/// Reads the transposes from the maps of a matmul; returns nothing for other maps.
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

/// The types of an operation's two operands and its result.
struct Types {
  TensorType lhs, rhs, result;
};

std::optional<Problem> matmulFrom(const CompilerApi& api, MlirOperation operation,
                                  const Types& types, bool batch) {
  Transposes transposes;
  if (const std::string maps = api.attributeText(operation, "indexing_maps"); !maps.empty()) {
    const auto read = transposesFrom(maps, batch);
    if (!read) {
      return std::nullopt;
    }
    transposes = *read;
  }
  const std::size_t rank = batch ? 3 : 2;
  if (types.lhs.shape.size() != rank || types.rhs.shape.size() != rank ||
      types.result.shape.size() != rank) {
    return std::nullopt;
  }
  const std::size_t row = rank - 2;
  Matmul matmul;
  matmul.batch = batch ? types.result.shape[0] : 0;
  matmul.m = types.result.shape[row];
  matmul.n = types.result.shape[row + 1];
  matmul.k = types.lhs.shape[transposes.lhs ? row : row + 1];
  matmul.transposeLhs = transposes.lhs;
  matmul.transposeRhs = transposes.rhs;
  matmul.lhs = types.lhs.element;
  matmul.rhs = types.rhs.element;
  matmul.result = types.result.element;
  return matmul;
}

/// Parses the two numbers of "dense<[1, 2]> : tensor<2xi64>" or "dense<1> : …"; returns 1 and 1 for
/// an empty text.
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
  const auto parts = splitAt(inside, ',');
  const auto first = parseInt(parts.front());
  const auto second = parseInt(parts.back());
  if (!first || !second || parts.size() > 2) {
    return std::nullopt;
  }
  return std::pair{*first, *second};
}

/// A 2-D convolution of linalg: one letter per dimension of the image and the filter.
struct ConvForm {
  std::string_view name;
  ConvLayout layout;
  std::string_view image;
  std::string_view filter;
  bool exact;
};
constexpr std::array<ConvForm, 6> kConvForms = {{
    {"linalg.conv_2d_nhwc_fhwc", ConvLayout::nhwc, "nhwc", "fhwc", true},
    {"linalg.conv_2d_nchw_fchw", ConvLayout::nchw, "nchw", "fchw", true},
    {"linalg.conv_2d_nhwc_hwcf", ConvLayout::nhwc, "nhwc", "hwcf", false},
    {"linalg.conv_2d_nhwgc_gfhwc", ConvLayout::nhwc, "nhwgc", "gfhwc", false},
    {"linalg.conv_2d_ngchw_gfchw", ConvLayout::nchw, "ngchw", "gfchw", false},
    {"linalg.conv_2d_ngchw_fgchw", ConvLayout::nchw, "ngchw", "fgchw", false},
}};

/// Returns the size of the dimension with this letter; 1 if there is none.
std::int64_t findSize(char letter, std::string_view letters, const TensorType& type) {
  const auto at = letters.find(letter);
  return at == std::string_view::npos ? 1 : type.shape[at];
}

std::optional<Problem> convFrom(const CompilerApi& api, MlirOperation operation, const Types& types,
                                const ConvForm& form) {
  const auto strides = pairFrom(api.attributeText(operation, "strides"));
  const auto dilations = pairFrom(api.attributeText(operation, "dilations"));
  const TensorType& image = types.lhs;
  const TensorType& filter = types.rhs;
  if (!strides || !dilations || image.shape.size() != form.image.size() ||
      filter.shape.size() != form.filter.size() || image.element != filter.element) {
    return std::nullopt;
  }
  Conv conv;
  conv.layout = form.layout;
  conv.groups = findSize('g', form.image, image);
  conv.n = findSize('n', form.image, image);
  conv.c = findSize('c', form.image, image) * conv.groups;
  conv.h = findSize('h', form.image, image);
  conv.w = findSize('w', form.image, image);
  conv.k = findSize('f', form.filter, filter) * conv.groups;
  conv.y = findSize('h', form.filter, filter);
  conv.x = findSize('w', form.filter, filter);
  std::tie(conv.strideH, conv.strideW) = *strides;
  std::tie(conv.dilationH, conv.dilationW) = *dilations;
  conv.input = image.element;
  conv.result = types.result.element;
  return conv;
}

}  // namespace

std::optional<TensorType> readTensorType(const CompilerApi& api, MlirValue value) {
  auto type = model::tensorTypeFromMlir(api.typeText(api.valueType(value)));
  return type ? std::optional(*type) : std::nullopt;
}

std::optional<OperationProblem> readProblem(const CompilerApi& api, MlirOperation operation) {
  const std::string name = api.opName(operation);
  const bool batch = name == "linalg.batch_matmul";
  const auto* form = std::find_if(kConvForms.begin(), kConvForms.end(),
                                  [&](const ConvForm& one) { return one.name == name; });
  if ((name != "linalg.matmul" && !batch && form == kConvForms.end()) ||
      api.operationOperands(operation) != 3 || api.operationResults(operation) != 1) {
    return std::nullopt;
  }
  const auto lhs = readTensorType(api, api.operationOperand(operation, 0));
  const auto rhs = readTensorType(api, api.operationOperand(operation, 1));
  const auto result = readTensorType(api, api.operationResult(operation, 0));
  if (!lhs || !rhs || !result || api.attributeText(operation, "cast").contains("unsigned")) {
    return std::nullopt;
  }
  const Types types{*lhs, *rhs, *result};
  const bool isConv = form != kConvForms.end();
  auto problem =
      isConv ? convFrom(api, operation, types, *form) : matmulFrom(api, operation, types, batch);
  if (!problem || !model::check(*problem)) {
    return std::nullopt;
  }
  return OperationProblem{*problem, !isConv || form->exact};
}

std::vector<Problem> problemsIn(const CompilerApi& api, MlirOperation module) {
  std::vector<Problem> problems;
  walk(api, module, [&](MlirOperation operation) {
    if (const auto found = readProblem(api, operation)) {
      problems.push_back(found->problem);
    }
    return MlirWalkResult::advance;
  });
  return problems;
}

}  // namespace hone::iree
