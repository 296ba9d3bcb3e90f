#include "iree/mlir/conv_mlir.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "iree/mlir/epilogue_mlir.h"

namespace hone::iree {
namespace {

using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using model::ConvLayout;
using model::TensorType;

/// One text per spatial dimension, outermost first.
using Texts = std::vector<std::string>;
using Sizes = std::vector<std::int64_t>;

/// Loop names of a 3-D convolution.
constexpr std::array<std::string_view, 3> kImage = {"d", "h", "w"};
constexpr std::array<std::string_view, 3> kFilter = {"z", "y", "x"};
constexpr std::array<std::string_view, 3> kOut = {"od", "oh", "ow"};

Texts nameLoops(const Conv& conv, const std::array<std::string_view, 3>& names) {
  return {names.end() - conv.spatial, names.end()};
}

template <typename Part>
Sizes each(const Conv& conv, const Part& part) {
  Sizes sizes;
  for (const ConvAxis& axis : conv.axes()) {
    sizes.push_back(part(axis));
  }
  return sizes;
}

std::size_t channelDim(const Conv& conv) {
  return conv.layout == ConvLayout::nhwc ? static_cast<std::size_t>(conv.spatial) + 1 : 1;
}

/// Returns the number of loops over the image or the output: batch, channels, spatial dimensions
/// and, if any, groups.
std::size_t loopCount(const Conv& conv) {
  return static_cast<std::size_t>(conv.spatial) + (conv.groups > 1 ? 3 : 2);
}

/// Returns the indices of an image-like tensor, with a group dimension if there are groups.
std::string imageAccess(const Conv& conv, const Texts& at, std::string_view channel) {
  const std::string c = conv.groups > 1 ? fmt::format("g, {}", channel) : std::string(channel);
  return conv.layout == ConvLayout::nhwc ? fmt::format("n, {}, {}", fmt::join(at, ", "), c)
                                         : fmt::format("n, {}, {}", c, fmt::join(at, ", "));
}
/// Returns the channel and the filter's spatial loops in layout order.
std::string windowLoops(const Conv& conv, std::string_view channel) {
  const Texts filter = nameLoops(conv, kFilter);
  return conv.layout == ConvLayout::nhwc ? fmt::format("{}, {}", fmt::join(filter, ", "), channel)
                                         : fmt::format("{}, {}", channel, fmt::join(filter, ", "));
}
std::string filterAccess(const Conv& conv) {
  return fmt::format("{}, {}", conv.groups > 1 ? "g, k" : "k", windowLoops(conv, "c"));
}

/// Returns an index such as "oh * 2 + y * 3" per spatial dimension.
Texts windows(const Conv& conv, const Texts& at, const Sizes& strides) {
  const auto term = [](std::string_view name, std::int64_t factor) {
    return factor == 1 ? std::string(name) : fmt::format("{} * {}", name, factor);
  };
  const Texts filter = nameLoops(conv, kFilter);
  const std::vector<ConvAxis> axes = conv.axes();
  Texts texts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    texts.push_back(term(at[i], strides[i]) + " + " + term(filter[i], axes[i].dilation));
  }
  return texts;
}

/// Splits the channels of an image-like tensor, or the filters of a filter-like one, into groups.
Value grouped(Body& body, const Conv& conv, const Value& value, std::size_t dim) {
  return conv.groups > 1 ? body.expand(value, dim, conv.groups) : value;
}
Value ungrouped(Body& body, const Conv& conv, const Value& value, std::size_t dim) {
  return conv.groups > 1 ? body.collapse(value, dim) : value;
}

TensorType groupedType(const Conv& conv, TensorType type, std::size_t dim) {
  if (conv.groups > 1) {
    const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
    *at /= conv.groups;
    type.shape.insert(at, conv.groups);
  }
  return type;
}

/// The part of the padded image that the windows cover along one dimension.
struct WindowExtent {
  explicit WindowExtent(const ConvAxis& axis) {
    const std::int64_t reach =
        (axis.out() - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1;
    right = std::max<std::int64_t>(0, reach - axis.image - axis.pad);
    // The compiler's folding of unit loops fails if a single window does not cover the image.
    // Otherwise uncovered elements are harmless, and removing them would cost a copy.
    size = axis.out() == 1 ? reach : axis.pad + axis.image + right;
  }
  std::int64_t right;
  std::int64_t size;
};

/// Pads the image with zeros, on the right only as far as the windows reach.
Value paddedImage(Body& body, const Conv& conv, const Value& image) {
  const Sizes left = each(conv, [](const ConvAxis& a) { return a.pad; });
  const Sizes right = each(conv, [](const ConvAxis& a) { return WindowExtent(a).right; });
  const Sizes sizes = each(conv, [](const ConvAxis& a) { return WindowExtent(a).size; });
  const Value padded = body.pad(image, conv.inLayout(0, 0, left), conv.inLayout(0, 0, right));
  return body.slice(padded, Sizes(padded.type.shape.size(), 0),
                    conv.inLayout(conv.n, conv.c, sizes));
}

/// Writes a 2-D convolution as a named operation of linalg, which has one per layout, with and
/// without groups.
Value namedForward(Body& body, const Conv& conv, const Value& input, const Value& weights,
                   const TensorType& result) {
  const bool nhwc = conv.layout == ConvLayout::nhwc;
  const std::string_view name = conv.groups > 1
                                    ? (nhwc ? "conv_2d_nhwgc_gfhwc" : "conv_2d_ngchw_gfchw")
                                    : (nhwc ? "conv_2d_nhwc_fhwc" : "conv_2d_nchw_fchw");
  const std::string attributes = fmt::format(
      "dilations = dense<[{}, {}]> : tensor<2xi64>, strides = dense<[{}, {}]> : tensor<2xi64>",
      conv.dilationH, conv.dilationW, conv.strideH, conv.strideW);
  return body.named(fmt::format("linalg.{}", name), attributes, input, weights, result);
}

Value genericForward(Body& body, const Conv& conv, const Value& input, const Value& weights,
                     const TensorType& result) {
  const Texts out = nameLoops(conv, kOut);
  const Sizes strides = each(conv, [](const ConvAxis& a) { return a.stride; });
  const std::string output = imageAccess(conv, out, "k");
  const Loops loops{
      .names = fmt::format("{}, {}", output, windowLoops(conv, "c")),
      .maps = {imageAccess(conv, windows(conv, out, strides), "c"), filterAccess(conv), output},
      .parallel = loopCount(conv),
      .reduction = static_cast<std::size_t>(conv.spatial) + 1};
  return body.contraction(loops, input, weights, result);
}

Value forwardBody(Body& body, const Conv& conv, std::span<const Value> operands) {
  const std::size_t channel = channelDim(conv);
  const Value input = grouped(body, conv, paddedImage(body, conv, operands[0]), channel);
  const Value weights = grouped(body, conv, operands[1], 0);
  const TensorType result = groupedType(conv, resultType(conv), channel);
  const Value sums = conv.spatial == 2 ? namedForward(body, conv, input, weights, result)
                                       : genericForward(body, conv, input, weights, result);
  return withEpilogue(body, conv.epilogue, ungrouped(body, conv, sums, channel), operands, channel);
}

/// Writes image[n, oh*s + y*d, ow*s + x*d, c] * gradient[n, oh, ow, k] summed over n, oh, ow. This
/// is also the form that IREE's importers produce.
Value weightBackwardBody(Body& body, const Conv& conv, const Value& image, const Value& gradient) {
  const Texts out = nameLoops(conv, kOut);
  const Sizes strides = each(conv, [](const ConvAxis& a) { return a.stride; });
  const Loops loops{.names = fmt::format("{}, n, {}", filterAccess(conv), fmt::join(out, ", ")),
                    .maps = {imageAccess(conv, windows(conv, out, strides), "c"),
                             imageAccess(conv, out, "k"), filterAccess(conv)},
                    .parallel = loopCount(conv),
                    .reduction = static_cast<std::size_t>(conv.spatial) + 1};
  const Value input = grouped(body, conv, paddedImage(body, conv, image), channelDim(conv));
  const Value output = grouped(body, conv, gradient, channelDim(conv));
  const Value sums = body.contraction(loops, input, output, groupedType(conv, resultType(conv), 0));
  return ungrouped(body, conv, sums, 0);
}

/// Along one dimension: the gradients whose windows overlap the image, and the offset of the first
/// one in the zero-filled tensor over which the reversed filter slides.
struct Spread {
  explicit Spread(const ConvAxis& axis) : size(axis.image + (axis.filter - 1) * axis.dilation) {
    const std::int64_t shift = (axis.filter - 1) * axis.dilation - axis.pad;  // of gradient 0
    const auto ceilDiv = [&](std::int64_t value) {
      return (value + axis.stride - 1) / axis.stride;
    };
    first = shift < 0 ? ceilDiv(-shift) : 0;
    count = std::min(axis.out(), ceilDiv(axis.image + axis.pad)) - first;
    offset = first * axis.stride + shift;
  }
  std::int64_t size;
  std::int64_t first = 0, count = 0, offset = 0;
};

/// Returns the gradient with zeros between and around its elements.
Value spreadGradient(Body& body, const Conv& conv, const Value& gradient) {
  const Sizes sizes = each(conv, [](const ConvAxis& a) { return Spread(a).size; });
  const Sizes first = each(conv, [](const ConvAxis& a) { return Spread(a).first; });
  const Sizes count = each(conv, [](const ConvAxis& a) { return Spread(a).count; });
  const Sizes offset = each(conv, [](const ConvAxis& a) { return Spread(a).offset; });
  const Sizes strides = each(conv, [](const ConvAxis& a) { return a.stride; });
  const TensorType spread{conv.inLayout(conv.n, conv.k, sizes), conv.input};
  if (*std::min_element(count.begin(), count.end()) < 1) {
    return body.zeros(spread);
  }
  const Value used =
      body.slice(gradient, conv.inLayout(0, 0, first), conv.inLayout(conv.n, conv.k, count));
  if (*std::max_element(strides.begin(), strides.end()) == 1) {
    const Sizes rest = each(conv, [](const ConvAxis& a) {
      const Spread s(a);
      return s.size - s.offset - s.count;
    });
    return body.pad(used, conv.inLayout(0, 0, offset), conv.inLayout(0, 0, rest));
  }
  return body.scatter(used, spread, conv.inLayout(0, 0, offset), conv.inLayout(1, 1, strides));
}

/// Writes a stride-1 forward convolution of the spread gradient with the reversed filter.
Value backwardDataBody(Body& body, const Conv& conv, const Value& gradient, const Value& filter) {
  const Texts image = nameLoops(conv, kImage);
  const std::string result = imageAccess(conv, image, "c");
  const Loops loops{.names = fmt::format("{}, {}", result, windowLoops(conv, "k")),
                    .maps = {imageAccess(conv, windows(conv, image, Sizes(image.size(), 1)), "k"),
                             filterAccess(conv), result},
                    .parallel = loopCount(conv),
                    .reduction = static_cast<std::size_t>(conv.spatial) + 1};
  const std::size_t channel = channelDim(conv);
  const Value input = grouped(body, conv, spreadGradient(body, conv, gradient), channel);
  const std::size_t space = conv.layout == ConvLayout::nhwc ? 1 : 2;
  const Value reversed = body.reverse(filter, space, image.size());
  const Value weights = grouped(body, conv, reversed, 0);
  const Value sums =
      body.contraction(loops, input, weights, groupedType(conv, resultType(conv), channel));
  return ungrouped(body, conv, sums, channel);
}

}  // namespace

Value convBody(Body& body, const Conv& conv, std::span<const Value> operands) {
  switch (conv.direction) {
    case ConvDirection::backwardData:
      return backwardDataBody(body, conv, operands[0], operands[1]);
    case ConvDirection::weightBackward:
      return weightBackwardBody(body, conv, operands[0], operands[1]);
    case ConvDirection::forward:
      break;
  }
  return forwardBody(body, conv, operands);
}

}  // namespace hone::iree
