#include "model/problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "model/json_reader.h"

namespace hone::model {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

constexpr std::array<std::string_view, 3> kDirections = {"fwd", "bwd", "wrw"};
constexpr std::array<std::string_view, 2> kLayouts = {"nhwc", "nchw"};
/// No product of two sizes overflows below it.
constexpr std::int64_t kLargestSize = INT32_MAX;

std::int64_t outputSize(std::int64_t size, std::int64_t pad, std::int64_t dilation,
                        std::int64_t filter, std::int64_t stride) {
  const std::int64_t room = size + 2 * pad - (dilation * (filter - 1) + 1);
  return room < 0 ? 0 : room / stride + 1;
}

/// The three tensors of a convolution in their layout.
TensorType imageOf(const Conv& conv, ElementType element) {
  return conv.layout == ConvLayout::nhwc ? TensorType{{conv.n, conv.h, conv.w, conv.c}, element}
                                         : TensorType{{conv.n, conv.c, conv.h, conv.w}, element};
}

TensorType filterOf(const Conv& conv, ElementType element) {
  const std::int64_t channels = conv.c / conv.groups;
  return conv.layout == ConvLayout::nhwc ? TensorType{{conv.k, conv.y, conv.x, channels}, element}
                                         : TensorType{{conv.k, channels, conv.y, conv.x}, element};
}

TensorType outputOf(const Conv& conv, ElementType element) {
  return conv.layout == ConvLayout::nhwc
             ? TensorType{{conv.n, conv.outH(), conv.outW(), conv.k}, element}
             : TensorType{{conv.n, conv.k, conv.outH(), conv.outW()}, element};
}

Result<void> checkSize(std::string_view what, std::int64_t value, std::int64_t smallest = 1) {
  if (value < smallest) {
    return userError("{} must be at least {}, not {}", what, smallest, value);
  }
  if (value > kLargestSize) {
    return userError("{} must be at most {}, not {}", what, kLargestSize, value);
  }
  return {};
}

Result<void> checkCountable(const Problem& problem) {
  std::vector<TensorType> tensors = operandsOf(problem);
  tensors.push_back(resultOf(problem));
  for (const TensorType& tensor : tensors) {
    if (!tensor.countable()) {
      return userError("a tensor of {} is too large for any memory", tensor.text());
    }
  }
  return {};
}

Result<void> checkMatmul(const Matmul& matmul) {
  HONE_CHECK(checkSize("m", matmul.m));
  HONE_CHECK(checkSize("n", matmul.n));
  HONE_CHECK(checkSize("k", matmul.k));
  HONE_CHECK(checkSize("batch", matmul.batch, 0));
  return checkCountable(matmul);
}

Result<void> checkConv(const Conv& conv) {
  using Named = std::pair<std::string_view, std::int64_t>;
  for (const auto& [what, value] :
       {Named{"n", conv.n}, Named{"c", conv.c}, Named{"H", conv.h}, Named{"W", conv.w},
        Named{"k", conv.k}, Named{"y", conv.y}, Named{"x", conv.x},
        Named{"stride height", conv.strideH}, Named{"stride width", conv.strideW},
        Named{"dilation height", conv.dilationH}, Named{"dilation width", conv.dilationW},
        Named{"groups", conv.groups}}) {
    HONE_CHECK(checkSize(what, value));
  }
  HONE_CHECK(checkSize("padding height", conv.padH, 0));
  HONE_CHECK(checkSize("padding width", conv.padW, 0));
  if (conv.c % conv.groups != 0 || conv.k % conv.groups != 0) {
    return userError("groups {} must divide c {} and k {}", conv.groups, conv.c, conv.k);
  }
  if (conv.outH() < 1 || conv.outW() < 1) {
    return userError("the output is empty: the {}x{} filter does not fit the {}x{} image", conv.y,
                     conv.x, conv.h, conv.w);
  }
  return checkCountable(conv);
}

std::string typesOf(ElementType lhs, ElementType rhs, ElementType result) {
  if (lhs == rhs && rhs == result) {
    return std::string(nameOf(lhs));
  }
  return fmt::format("{}_{}_{}", nameOf(lhs), nameOf(rhs), nameOf(result));
}

std::string matmulName(const Matmul& matmul) {
  std::string name = matmul.batch > 0 ? fmt::format("batch_matmul_{}x", matmul.batch) : "matmul_";
  name += fmt::format("{}x{}x{}_{}", matmul.m, matmul.n, matmul.k,
                      typesOf(matmul.lhs, matmul.rhs, matmul.result));
  name += matmul.transposeLhs ? "_ta" : "";
  name += matmul.transposeRhs ? "_tb" : "";
  return name;
}

std::string convName(const Conv& conv) {
  return fmt::format("conv_{}_{}_{}x{}x{}x{}_k{}_{}x{}_s{}x{}_p{}x{}_d{}x{}_g{}_{}",
                     kDirections[static_cast<std::size_t>(conv.direction)],
                     kLayouts[static_cast<std::size_t>(conv.layout)], conv.n, conv.c, conv.h,
                     conv.w, conv.k, conv.y, conv.x, conv.strideH, conv.strideW, conv.padH,
                     conv.padW, conv.dilationH, conv.dilationW, conv.groups,
                     typesOf(conv.input, conv.input, conv.result));
}

template <typename Enum, std::size_t Size>
Result<Enum> enumFrom(std::string_view what, std::string_view name,
                      const std::array<std::string_view, Size>& names) {
  const auto* at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    return userError("problem: unknown {} '{}'", what, name);
  }
  return static_cast<Enum>(at - names.begin());
}

Result<ElementType> typeFrom(std::string_view name) {
  const auto type = elementTypeFrom(name);
  if (!type) {
    return userError("problem: unknown element type '{}'", name);
  }
  return *type;
}

Result<Problem> matmulFrom(const nlohmann::json& json) {
  JsonReader reader(json, "problem");
  Matmul matmul;
  std::string kind;
  std::string lhs;
  std::string rhs;
  std::string result;
  reader.required("kind", kind);
  reader.optional("batch", matmul.batch);
  reader.required("m", matmul.m);
  reader.required("n", matmul.n);
  reader.required("k", matmul.k);
  reader.optional("transpose_lhs", matmul.transposeLhs);
  reader.optional("transpose_rhs", matmul.transposeRhs);
  reader.required("lhs", lhs);
  reader.required("rhs", rhs);
  reader.required("result", result);
  HONE_CHECK(reader.finish());
  matmul.lhs = HONE_TRY(typeFrom(lhs));
  matmul.rhs = HONE_TRY(typeFrom(rhs));
  matmul.result = HONE_TRY(typeFrom(result));
  return Problem(matmul);
}

Result<Problem> convFrom(const nlohmann::json& json) {
  JsonReader reader(json, "problem");
  Conv conv;
  std::string kind;
  std::string direction;
  std::string layout;
  std::string input;
  std::string result;
  reader.required("kind", kind);
  reader.required("direction", direction);
  reader.required("layout", layout);
  reader.required("n", conv.n);
  reader.required("c", conv.c);
  reader.required("h", conv.h);
  reader.required("w", conv.w);
  reader.required("k", conv.k);
  reader.required("y", conv.y);
  reader.required("x", conv.x);
  reader.optional("stride_h", conv.strideH);
  reader.optional("stride_w", conv.strideW);
  reader.optional("pad_h", conv.padH);
  reader.optional("pad_w", conv.padW);
  reader.optional("dilation_h", conv.dilationH);
  reader.optional("dilation_w", conv.dilationW);
  reader.optional("groups", conv.groups);
  reader.required("input", input);
  reader.required("result", result);
  HONE_CHECK(reader.finish());
  conv.direction = HONE_TRY((enumFrom<ConvDirection>("direction", direction, kDirections)));
  conv.layout = HONE_TRY((enumFrom<ConvLayout>("layout", layout, kLayouts)));
  conv.input = HONE_TRY(typeFrom(input));
  conv.result = HONE_TRY(typeFrom(result));
  return Problem(conv);
}

}  // namespace

std::int64_t Conv::outH() const { return outputSize(h, padH, dilationH, y, strideH); }
std::int64_t Conv::outW() const { return outputSize(w, padW, dilationW, x, strideW); }

Result<void> check(const Problem& problem) {
  return std::visit(Overloaded{[](const Matmul& matmul) { return checkMatmul(matmul); },
                               [](const Conv& conv) { return checkConv(conv); }},
                    problem);
}

std::string nameOf(const Problem& problem) {
  return std::visit(Overloaded{[](const Matmul& matmul) { return matmulName(matmul); },
                               [](const Conv& conv) { return convName(conv); }},
                    problem);
}

std::vector<TensorType> operandsOf(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    TensorType lhs{{matmul->m, matmul->k}, matmul->lhs};
    TensorType rhs{{matmul->k, matmul->n}, matmul->rhs};
    if (matmul->transposeLhs) {
      std::swap(lhs.shape[0], lhs.shape[1]);
    }
    if (matmul->transposeRhs) {
      std::swap(rhs.shape[0], rhs.shape[1]);
    }
    if (matmul->batch > 0) {
      lhs.shape.insert(lhs.shape.begin(), matmul->batch);
      rhs.shape.insert(rhs.shape.begin(), matmul->batch);
    }
    return {lhs, rhs};
  }
  const auto& conv = std::get<Conv>(problem);
  switch (conv.direction) {
    case ConvDirection::forward:
      return {imageOf(conv, conv.input), filterOf(conv, conv.input)};
    case ConvDirection::backwardData:
      return {outputOf(conv, conv.input), filterOf(conv, conv.input)};
    case ConvDirection::weightBackward:
      return {imageOf(conv, conv.input), outputOf(conv, conv.input)};
  }
  return {};
}

TensorType resultOf(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    TensorType result{{matmul->m, matmul->n}, matmul->result};
    if (matmul->batch > 0) {
      result.shape.insert(result.shape.begin(), matmul->batch);
    }
    return result;
  }
  const auto& conv = std::get<Conv>(problem);
  switch (conv.direction) {
    case ConvDirection::forward:
      return outputOf(conv, conv.result);
    case ConvDirection::backwardData:
      return imageOf(conv, conv.result);
    case ConvDirection::weightBackward:
      return filterOf(conv, conv.result);
  }
  return {};
}

std::int64_t reductionLength(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return matmul->k;
  }
  const auto& conv = std::get<Conv>(problem);
  switch (conv.direction) {
    case ConvDirection::forward:
      return conv.c / conv.groups * conv.y * conv.x;
    case ConvDirection::backwardData:
      return conv.k / conv.groups * conv.y * conv.x;
    case ConvDirection::weightBackward:
      return conv.n * conv.outH() * conv.outW();
  }
  return 0;
}

double flopsOf(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return 2.0 * static_cast<double>(std::max<std::int64_t>(matmul->batch, 1)) *
           static_cast<double>(matmul->m) * static_cast<double>(matmul->n) *
           static_cast<double>(matmul->k);
  }
  // All three directions do the forward's multiplications, in another order.
  Conv forward = std::get<Conv>(problem);
  forward.direction = ConvDirection::forward;
  return 2.0 * static_cast<double>(resultOf(forward).count()) *
         static_cast<double>(reductionLength(forward));
}

double bytesOf(const Problem& problem) {
  double bytes = static_cast<double>(resultOf(problem).bytes());
  for (const TensorType& operand : operandsOf(problem)) {
    bytes += static_cast<double>(operand.bytes());
  }
  return bytes;
}

nlohmann::json toJson(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return {{"kind", "matmul"},
            {"batch", matmul->batch},
            {"m", matmul->m},
            {"n", matmul->n},
            {"k", matmul->k},
            {"transpose_lhs", matmul->transposeLhs},
            {"transpose_rhs", matmul->transposeRhs},
            {"lhs", nameOf(matmul->lhs)},
            {"rhs", nameOf(matmul->rhs)},
            {"result", nameOf(matmul->result)}};
  }
  const auto& conv = std::get<Conv>(problem);
  return {{"kind", "conv"},
          {"direction", kDirections[static_cast<std::size_t>(conv.direction)]},
          {"layout", kLayouts[static_cast<std::size_t>(conv.layout)]},
          {"n", conv.n},
          {"c", conv.c},
          {"h", conv.h},
          {"w", conv.w},
          {"k", conv.k},
          {"y", conv.y},
          {"x", conv.x},
          {"stride_h", conv.strideH},
          {"stride_w", conv.strideW},
          {"pad_h", conv.padH},
          {"pad_w", conv.padW},
          {"dilation_h", conv.dilationH},
          {"dilation_w", conv.dilationW},
          {"groups", conv.groups},
          {"input", nameOf(conv.input)},
          {"result", nameOf(conv.result)}};
}

Result<Problem> problemFrom(const nlohmann::json& json) {
  const bool hasKind = json.is_object() && json.contains("kind") && json["kind"].is_string();
  const std::string kind = hasKind ? json["kind"].get<std::string>() : "";
  if (kind != "matmul" && kind != "conv") {
    return userError("problem: 'kind' must be \"matmul\" or \"conv\"");
  }
  Problem problem = HONE_TRY(kind == "matmul" ? matmulFrom(json) : convFrom(json));
  HONE_CHECK(check(problem));
  return problem;
}

}  // namespace hone::model
