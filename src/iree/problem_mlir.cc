#include "iree/problem_mlir.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace hone::iree {
namespace {

using model::Conv;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::TensorType;

std::string tensorOf(const TensorType& type) { return fmt::format("tensor<{}>", type.text()); }

/// An SSA value with its type.
struct Value {
  std::string name;
  TensorType type;
  [[nodiscard]] std::string text() const { return tensorOf(type); }
};

/// The linalg.generic's loops and accesses: maps of the two operands and the result.
struct Contraction {
  std::string loops;  ///< "n, oh, ow"
  std::vector<std::string> maps;
  std::size_t parallel = 0;
  std::size_t reduction = 0;
};

/// Writes a function's body line by line; every method adds one operation and returns its value.
class Body {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Zeros of the type: the accumulator of every reduction.
  Value zeros(const TensorType& type) {
    const std::string zero = zeroOf(type.element);
    const Value empty = define(type, "tensor.empty() : {}", tensorOf(type));
    return define(type, "linalg.fill ins({} : {}) outs({} : {}) -> {}", zero, nameOf(type.element),
                  empty.name, empty.text(), empty.text());
  }

  /// A structured operation that adds the product of two operands to zeros.
  Value named(std::string_view operation, const Value& lhs, const Value& rhs,
              const TensorType& result) {
    const Value sum = zeros(result);
    return define(result, "{} ins({}, {} : {}, {}) outs({} : {}) -> {}", operation, lhs.name,
                  rhs.name, lhs.text(), rhs.text(), sum.name, sum.text(), sum.text());
  }

  Value generic(const Contraction& contraction, const Value& lhs, const Value& rhs,
                const TensorType& result);
  /// Zeros around the image; negative sizes are not allowed.
  Value pad(const Value& image, const std::vector<std::int64_t>& low,
            const std::vector<std::int64_t>& high);
  Value expand(const Value& value, std::size_t dim, std::int64_t groups);
  Value collapse(const Value& value, std::size_t dim);
  /// The elements from `offsets` on, as many as `sizes` says.
  Value slice(const Value& value, const std::vector<std::int64_t>& offsets,
              const std::vector<std::int64_t>& sizes);
  /// The value's elements put `strides` apart into zeros of another shape.
  Value scatter(const Value& value, const TensorType& into,
                const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& strides);
  /// Reversed along two dimensions. Indices are computed, as the compiler's tiling fails on an
  /// indexing map with a negative factor.
  Value reverse(const Value& value, std::size_t first, std::size_t second);

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  template <typename... Args>
  Value define(const TensorType& type, fmt::format_string<Args...> format, Args&&... args) {
    const std::string name = fmt::format("%{}", next_++);
    line("{} = {}", name, fmt::format(format, std::forward<Args>(args)...));
    return {name, type};
  }
  std::string zeroOf(ElementType element) {
    const std::string name = fmt::format("%zero_{}", nameOf(element));
    if (!text_.contains(name + " =")) {
      line("{} = arith.constant {} : {}", name, isFloat(element) ? "0.0" : "0", nameOf(element));
    }
    return name;
  }
  /// The operand in the accumulator's type, as linalg's named operations cast: signed integers.
  std::string widened(std::string_view operand, ElementType from, ElementType to);

  std::string text_;
  int next_ = 0;
};

std::string Body::widened(std::string_view operand, ElementType from, ElementType to) {
  if (from == to) {
    return std::string(operand);
  }
  const bool wider = bytesOf(to) > bytesOf(from);
  std::string_view cast = wider ? "arith.extsi" : "arith.trunci";
  if (isFloat(from) && isFloat(to)) {
    cast = wider ? "arith.extf" : "arith.truncf";
  } else if (isFloat(to)) {
    cast = "arith.sitofp";
  } else if (isFloat(from)) {
    cast = "arith.fptosi";
  }
  line("  {}_wide = {} {} : {} to {}", operand, cast, operand, nameOf(from), nameOf(to));
  return fmt::format("{}_wide", operand);
}

Value Body::generic(const Contraction& contraction, const Value& lhs, const Value& rhs,
                    const TensorType& result) {
  const Value sum = zeros(result);
  std::vector<std::string> maps;
  for (const std::string& map : contraction.maps) {
    maps.push_back(fmt::format("affine_map<({}) -> ({})>", contraction.loops, map));
  }
  std::vector<std::string> iterators(contraction.parallel, "\"parallel\"");
  iterators.insert(iterators.end(), contraction.reduction, "\"reduction\"");
  const Value out =
      define(result,
             "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins({}, {} : {}, {}) "
             "outs({} : {}) {{",
             fmt::join(maps, ", "), fmt::join(iterators, ", "), lhs.name, rhs.name, lhs.text(),
             rhs.text(), sum.name, sum.text());
  const ElementType to = result.element;
  line("^bb0(%lhs: {}, %rhs: {}, %sum: {}):", nameOf(lhs.type.element), nameOf(rhs.type.element),
       nameOf(to));
  const std::string left = widened("%lhs", lhs.type.element, to);
  const std::string right = widened("%rhs", rhs.type.element, to);
  const char suffix = isFloat(to) ? 'f' : 'i';
  line("  %product = arith.mul{} {}, {} : {}", suffix, left, right, nameOf(to));
  line("  %next = arith.add{} %sum, %product : {}", suffix, nameOf(to));
  line("  linalg.yield %next : {}", nameOf(to));
  line("}} -> {}", tensorOf(result));
  return out;
}

Value Body::pad(const Value& image, const std::vector<std::int64_t>& low,
                const std::vector<std::int64_t>& high) {
  TensorType type = image.type;
  for (std::size_t dim = 0; dim < type.shape.size(); ++dim) {
    type.shape[dim] += low[dim] + high[dim];
  }
  if (type == image.type) {
    return image;
  }
  const std::string zero = zeroOf(type.element);
  const Value padded = define(type, "tensor.pad {} low[{}] high[{}] {{", image.name,
                              fmt::join(low, ", "), fmt::join(high, ", "));
  line("^bb0(%i0: index, %i1: index, %i2: index, %i3: index):");
  line("  tensor.yield {} : {}", zero, nameOf(type.element));
  line("}} : {} to {}", image.text(), padded.text());
  return padded;
}

/// "[[0], [1, 2], [3]]": which dimensions of the split shape make up each of the joined one.
std::string reassociation(std::size_t joinedRank, std::size_t dim) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < joinedRank; ++i) {
    const std::size_t first = i <= dim ? i : i + 1;
    parts.push_back(i == dim ? fmt::format("[{}, {}]", first, first + 1)
                             : fmt::format("[{}]", first));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

Value Body::expand(const Value& value, std::size_t dim, std::int64_t groups) {
  TensorType type = value.type;
  const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
  *at /= groups;
  type.shape.insert(at, groups);
  return define(type, "tensor.expand_shape {} {} output_shape [{}] : {} into {}", value.name,
                reassociation(value.type.shape.size(), dim), fmt::join(type.shape, ", "),
                value.text(), tensorOf(type));
}

Value Body::collapse(const Value& value, std::size_t dim) {
  TensorType type = value.type;
  const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
  *(at + 1) *= *at;
  type.shape.erase(at);
  return define(type, "tensor.collapse_shape {} {} : {} into {}", value.name,
                reassociation(type.shape.size(), dim), value.text(), tensorOf(type));
}

Value Body::slice(const Value& value, const std::vector<std::int64_t>& offsets,
                  const std::vector<std::int64_t>& sizes) {
  if (sizes == value.type.shape) {
    return value;
  }
  const TensorType type{sizes, value.type.element};
  return define(type, "tensor.extract_slice {}[{}] [{}] [{}] : {} to {}", value.name,
                fmt::join(offsets, ", "), fmt::join(sizes, ", "),
                fmt::join(std::vector<int>(sizes.size(), 1), ", "), value.text(), tensorOf(type));
}

Value Body::scatter(const Value& value, const TensorType& into,
                    const std::vector<std::int64_t>& offsets,
                    const std::vector<std::int64_t>& strides) {
  const Value zero = zeros(into);
  return define(into, "tensor.insert_slice {} into {}[{}] [{}] [{}] : {} into {}", value.name,
                zero.name, fmt::join(offsets, ", "), fmt::join(value.type.shape, ", "),
                fmt::join(strides, ", "), value.text(), zero.text());
}

Value Body::reverse(const Value& value, std::size_t first, std::size_t second) {
  const std::vector<std::int64_t>& shape = value.type.shape;
  if (shape[first] == 1 && shape[second] == 1) {
    return value;
  }
  const Value empty = define(value.type, "tensor.empty() : {}", value.text());
  const Value out =
      define(value.type,
             "linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>], "
             "iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\"]}} "
             "outs({} : {}) {{",
             empty.name, empty.text());
  const auto element = nameOf(value.type.element);
  line("^bb0(%old: {}):", element);
  std::vector<std::string> indices;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    line("  %at{} = linalg.index {} : index", dim, dim);
    indices.push_back(fmt::format("%at{}", dim));
    if (dim == first || dim == second) {
      line("  %last{} = arith.constant {} : index", dim, shape[dim] - 1);
      line("  %from{} = arith.subi %last{}, %at{} : index", dim, dim, dim);
      indices.back() = fmt::format("%from{}", dim);
    }
  }
  line("  %element = tensor.extract {}[{}] : {}", value.name, fmt::join(indices, ", "),
       value.text());
  line("  linalg.yield %element : {}", element);
  line("}} -> {}", value.text());
  return out;
}

Value matmulBody(Body& body, const Matmul& matmul, const Value& lhs, const Value& rhs) {
  std::string operation = matmul.batch > 0 ? "linalg.batch_matmul" : "linalg.matmul";
  if (matmul.transposeLhs || matmul.transposeRhs) {
    const std::string batch = matmul.batch > 0 ? "b, " : "";
    const auto map = [&](std::string_view to) {
      return fmt::format("affine_map<({}m, n, k) -> ({}{})>", batch, batch, to);
    };
    operation +=
        fmt::format(" indexing_maps = [{}, {}, {}]", map(matmul.transposeLhs ? "k, m" : "m, k"),
                    map(matmul.transposeRhs ? "n, k" : "k, n"), map("m, n"));
  }
  return body.named(operation, lhs, rhs, resultOf(matmul));
}

/// Four numbers, one for each dimension of a tensor in the convolution's layout.
std::vector<std::int64_t> inLayout(const Conv& conv, std::int64_t batch, std::int64_t channel,
                                   std::int64_t height, std::int64_t width) {
  return conv.layout == ConvLayout::nhwc ? std::vector<std::int64_t>{batch, height, width, channel}
                                         : std::vector<std::int64_t>{batch, channel, height, width};
}

std::size_t channelDim(const Conv& conv) { return conv.layout == ConvLayout::nhwc ? 3 : 1; }
std::size_t heightDim(const Conv& conv) { return conv.layout == ConvLayout::nhwc ? 1 : 2; }

/// The accesses of an image-like and a filter-like tensor as text, with a group dimension or not.
std::string imageAccess(const Conv& conv, std::string_view height, std::string_view width,
                        std::string_view channel) {
  const std::string c = conv.groups > 1 ? fmt::format("g, {}", channel) : std::string(channel);
  return conv.layout == ConvLayout::nhwc ? fmt::format("n, {}, {}, {}", height, width, c)
                                         : fmt::format("n, {}, {}, {}", c, height, width);
}
std::string filterAccess(const Conv& conv) {
  const std::string_view k = conv.groups > 1 ? "g, k" : "k";
  return conv.layout == ConvLayout::nhwc ? fmt::format("{}, y, x, c", k)
                                         : fmt::format("{}, c, y, x", k);
}

std::string sumOf(std::string_view a, std::int64_t factorOfA, std::string_view b,
                  std::int64_t factorOfB) {
  const auto term = [](std::string_view name, std::int64_t factor) {
    return factor == 1 ? std::string(name) : fmt::format("{} * {}", name, factor);
  };
  return term(a, factorOfA) + " + " + term(b, factorOfB);
}

/// An image-like (or a filter-like) tensor with its channels (its filters) split into groups.
Value grouped(Body& body, const Conv& conv, const Value& value, std::size_t dim) {
  return conv.groups > 1 ? body.expand(value, dim, conv.groups) : value;
}

TensorType groupedType(const Conv& conv, TensorType type, std::size_t dim) {
  if (conv.groups > 1) {
    const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
    *at /= conv.groups;
    type.shape.insert(at, conv.groups);
  }
  return type;
}

/// How much of the padded image the windows reach along one dimension.
struct Reach {
  Reach(std::int64_t image, std::int64_t pad, std::int64_t out, std::int64_t stride,
        std::int64_t filter, std::int64_t dilation) {
    const std::int64_t reach = (out - 1) * stride + (filter - 1) * dilation + 1;
    right = std::max<std::int64_t>(0, reach - image - pad);
    // The compiler's folding of unit loops fails where a lone window leaves a rest of the image;
    // elsewhere a rest is harmless, and cutting it off would cost a copy.
    size = out == 1 ? reach : pad + image + right;
  }
  std::int64_t right;
  std::int64_t size;
};

/// Zeros around the image, no more on the right than the strides use.
Value paddedImage(Body& body, const Conv& conv, const Value& image) {
  const Reach h(conv.h, conv.padH, conv.outH(), conv.strideH, conv.y, conv.dilationH);
  const Reach w(conv.w, conv.padW, conv.outW(), conv.strideW, conv.x, conv.dilationW);
  const Value padded = body.pad(image, inLayout(conv, 0, 0, conv.padH, conv.padW),
                                inLayout(conv, 0, 0, h.right, w.right));
  return body.slice(padded, inLayout(conv, 0, 0, 0, 0),
                    inLayout(conv, conv.n, conv.c, h.size, w.size));
}

Value forwardBody(Body& body, const Conv& conv, const Value& image, const Value& filter) {
  const bool nhwc = conv.layout == ConvLayout::nhwc;
  const std::string_view name = conv.groups > 1
                                    ? (nhwc ? "conv_2d_nhwgc_gfhwc" : "conv_2d_ngchw_gfchw")
                                    : (nhwc ? "conv_2d_nhwc_fhwc" : "conv_2d_nchw_fchw");
  const std::string operation = fmt::format(
      "linalg.{} {{dilations = dense<[{}, {}]> : tensor<2xi64>, strides = dense<[{}, {}]> : "
      "tensor<2xi64>}}",
      name, conv.dilationH, conv.dilationW, conv.strideH, conv.strideW);
  const Value input = grouped(body, conv, paddedImage(body, conv, image), channelDim(conv));
  const Value weights = grouped(body, conv, filter, 0);
  const Value out =
      body.named(operation, input, weights, groupedType(conv, resultOf(conv), channelDim(conv)));
  return conv.groups > 1 ? body.collapse(out, channelDim(conv)) : out;
}

/// image[n, oh*s + y*d, ow*s + x*d, c] * gradient[n, oh, ow, k] summed over n, oh, ow: the form
/// that IREE's importers give it, too.
Value weightBackwardBody(Body& body, const Conv& conv, const Value& image, const Value& gradient) {
  const std::string_view group = conv.groups > 1 ? "g, " : "";
  const std::string_view filterLoops =
      conv.layout == ConvLayout::nhwc ? "k, y, x, c" : "k, c, y, x";
  const Contraction contraction{
      .loops = fmt::format("{}{}, n, oh, ow", group, filterLoops),
      .maps = {imageAccess(conv, sumOf("oh", conv.strideH, "y", conv.dilationH),
                           sumOf("ow", conv.strideW, "x", conv.dilationW), "c"),
               imageAccess(conv, "oh", "ow", "k"), filterAccess(conv)},
      .parallel = conv.groups > 1 ? 5U : 4U,
      .reduction = 3};
  const Value input = grouped(body, conv, paddedImage(body, conv, image), channelDim(conv));
  const Value output = grouped(body, conv, gradient, channelDim(conv));
  const Value out = body.generic(contraction, input, output, groupedType(conv, resultOf(conv), 0));
  return conv.groups > 1 ? body.collapse(out, 0) : out;
}

/// Along one dimension: the gradients whose windows touch the image, and where the first of them
/// lies in the zeros over which the reversed filter slides.
struct Spread {
  Spread(std::int64_t image, std::int64_t out, std::int64_t filter, std::int64_t stride,
         std::int64_t pad, std::int64_t dilation)
      : size(image + (filter - 1) * dilation) {
    const std::int64_t shift = (filter - 1) * dilation - pad;  // of the gradient 0
    const auto ceilDiv = [&](std::int64_t value) { return (value + stride - 1) / stride; };
    first = shift < 0 ? ceilDiv(-shift) : 0;
    count = std::min(out, ceilDiv(image + pad)) - first;
    offset = first * stride + shift;
  }
  std::int64_t size;
  std::int64_t first = 0, count = 0, offset = 0;
};

/// The gradient with zeros between and around its elements.
Value spreadGradient(Body& body, const Conv& conv, const Value& gradient) {
  const Spread h(conv.h, conv.outH(), conv.y, conv.strideH, conv.padH, conv.dilationH);
  const Spread w(conv.w, conv.outW(), conv.x, conv.strideW, conv.padW, conv.dilationW);
  const TensorType spread{inLayout(conv, conv.n, conv.k, h.size, w.size), conv.input};
  if (h.count < 1 || w.count < 1) {
    return body.zeros(spread);
  }
  const Value used = body.slice(gradient, inLayout(conv, 0, 0, h.first, w.first),
                                inLayout(conv, conv.n, conv.k, h.count, w.count));
  if (conv.strideH == 1 && conv.strideW == 1) {
    return body.pad(used, inLayout(conv, 0, 0, h.offset, w.offset),
                    inLayout(conv, 0, 0, h.size - h.offset - h.count, w.size - w.offset - w.count));
  }
  return body.scatter(used, spread, inLayout(conv, 0, 0, h.offset, w.offset),
                      inLayout(conv, 1, 1, conv.strideH, conv.strideW));
}

/// A forward convolution with stride 1 of the spread gradient with the reversed filter.
Value backwardDataBody(Body& body, const Conv& conv, const Value& gradient, const Value& filter) {
  const std::string_view group = conv.groups > 1 ? "g, " : "";
  const std::string loops = conv.layout == ConvLayout::nhwc
                                ? fmt::format("n, h, w, {}c, y, x, k", group)
                                : fmt::format("n, {}c, h, w, k, y, x", group);
  const Contraction contraction{.loops = loops,
                                .maps = {imageAccess(conv, sumOf("h", 1, "y", conv.dilationH),
                                                     sumOf("w", 1, "x", conv.dilationW), "k"),
                                         filterAccess(conv), imageAccess(conv, "h", "w", "c")},
                                .parallel = conv.groups > 1 ? 5U : 4U,
                                .reduction = 3};
  const Value input = grouped(body, conv, spreadGradient(body, conv, gradient), channelDim(conv));
  const std::size_t height = heightDim(conv);
  const Value weights = grouped(body, conv, body.reverse(filter, height, height + 1), 0);
  const Value out = body.generic(contraction, input, weights,
                                 groupedType(conv, resultOf(conv), channelDim(conv)));
  return conv.groups > 1 ? body.collapse(out, channelDim(conv)) : out;
}

Value bodyOf(Body& body, const model::Problem& problem, const Value& first, const Value& second) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return matmulBody(body, *matmul, first, second);
  }
  const auto& conv = std::get<Conv>(problem);
  switch (conv.direction) {
    case ConvDirection::forward:
      return forwardBody(body, conv, first, second);
    case ConvDirection::backwardData:
      return backwardDataBody(body, conv, first, second);
    case ConvDirection::weightBackward:
      return weightBackwardBody(body, conv, first, second);
  }
  return first;
}

}  // namespace

std::string mlirOf(const model::Problem& problem, std::string_view function) {
  const std::vector<TensorType> operands = operandsOf(problem);
  const Value first{"%first", operands[0]};
  const Value second{"%second", operands[1]};
  Body body;
  const Value result = bodyOf(body, problem, first, second);
  return fmt::format(
      "func.func @{}(%first: {}, %second: {}) -> {} {{\n"
      "{}"
      "  return {} : {}\n"
      "}}\n",
      function, first.text(), second.text(), result.text(), body.text(), result.name,
      result.text());
}

}  // namespace hone::iree
