#include "model/problem/operation/conv.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "model/problem/operation/problem_parts.h"
#include "model/result/json_reader.h"

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 3> kDirectionNames = {"fwd", "bwd", "wrw"};
constexpr std::array<std::string_view, 2> kLayouts = {"nhwc", "nchw"};
/// Indexed by the number of spatial dimensions - 1.
constexpr std::array<std::array<std::string_view, 2>, 3> kLayoutNames = {
    {{"nwc", "ncw"}, {"nhwc", "nchw"}, {"ndhwc", "ncdhw"}}};

ConvAxis depthAxis(const Conv& conv) {
  return {conv.d, conv.z, conv.strideD, conv.padD, conv.dilationD};
}
ConvAxis heightAxis(const Conv& conv) {
  return {conv.h, conv.y, conv.strideH, conv.padH, conv.dilationH};
}
ConvAxis widthAxis(const Conv& conv) {
  return {conv.w, conv.x, conv.strideW, conv.padW, conv.dilationW};
}

template <typename Part>
std::vector<std::int64_t> each(const Conv& conv, const Part& part) {
  std::vector<std::int64_t> values;
  for (const ConvAxis& axis : conv.axes()) {
    values.push_back(part(axis));
  }
  return values;
}

/// Return the types of the image, the filter and the output, in the layout of the convolution.
TensorType imageType(const Conv& conv, ElementType element) {
  return {conv.inLayout(conv.n, conv.c, each(conv, [](const ConvAxis& a) { return a.image; })),
          element};
}

TensorType filterType(const Conv& conv, ElementType element) {
  return {conv.inLayout(conv.k, conv.c / conv.groups,
                        each(conv, [](const ConvAxis& a) { return a.filter; })),
          element};
}

TensorType outputType(const Conv& conv, ElementType element) {
  return {conv.inLayout(conv.n, conv.k, each(conv, [](const ConvAxis& a) { return a.out(); })),
          element};
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    result *= size;
  }
  return result;
}

Result<void> checkAxis(std::string_view name, const ConvAxis& axis) {
  HONE_CHECK(checkSize(fmt::format("stride {}", name), axis.stride));
  HONE_CHECK(checkSize(fmt::format("dilation {}", name), axis.dilation));
  return checkSize(fmt::format("padding {}", name), axis.pad, 0);
}

Result<void> checkDimensions(const Conv& conv) {
  if (conv.spatial < 1 || conv.spatial > 3) {
    return userError("a convolution has 1, 2 or 3 spatial dimensions, got {}", conv.spatial);
  }
  if ((conv.spatial < 3 && depthAxis(conv) != ConvAxis{}) ||
      (conv.spatial < 2 && heightAxis(conv) != ConvAxis{})) {
    return userError("a {}-D convolution has no {}", conv.spatial,
                     conv.spatial < 2 ? "height" : "depth");
  }
  return {};
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

}  // namespace

std::int64_t ConvAxis::out() const {
  const std::int64_t room = image + 2 * pad - (dilation * (filter - 1) + 1);
  return room < 0 ? 0 : room / stride + 1;
}

std::int64_t Conv::outD() const { return depthAxis(*this).out(); }
std::int64_t Conv::outH() const { return heightAxis(*this).out(); }
std::int64_t Conv::outW() const { return widthAxis(*this).out(); }

std::vector<ConvAxis> Conv::axes() const {
  const std::vector<ConvAxis> all = {depthAxis(*this), heightAxis(*this), widthAxis(*this)};
  return {all.end() - std::clamp<std::int64_t>(spatial, 1, 3), all.end()};
}

std::vector<std::int64_t> Conv::inLayout(std::int64_t batch, std::int64_t channels,
                                         const std::vector<std::int64_t>& sizes) const {
  std::vector<std::int64_t> shape = {batch};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  shape.insert(layout == ConvLayout::nhwc ? shape.end() : shape.begin() + 1, channels);
  return shape;
}

std::string_view layoutName(ConvLayout layout, std::int64_t spatial) {
  return kLayoutNames[static_cast<std::size_t>(spatial - 1)][static_cast<std::size_t>(layout)];
}

std::string_view layoutName(const Conv& conv) { return layoutName(conv.layout, conv.spatial); }

std::string_view nameOf(ConvDirection direction) {
  return kDirectionNames[static_cast<std::size_t>(direction)];
}

Result<void> checkSizes(const Conv& conv) {
  using Named = std::pair<std::string_view, std::int64_t>;
  for (const auto& [what, value] :
       {Named{"n", conv.n}, Named{"c", conv.c}, Named{"D", conv.d}, Named{"H", conv.h},
        Named{"W", conv.w}, Named{"k", conv.k}, Named{"z", conv.z}, Named{"y", conv.y},
        Named{"x", conv.x}, Named{"groups", conv.groups}}) {
    HONE_CHECK(checkSize(what, value));
  }
  HONE_CHECK(checkAxis("depth", depthAxis(conv)));
  HONE_CHECK(checkAxis("height", heightAxis(conv)));
  HONE_CHECK(checkAxis("width", widthAxis(conv)));
  HONE_CHECK(checkDimensions(conv));
  if (conv.c % conv.groups != 0 || conv.k % conv.groups != 0) {
    return userError("groups {} must divide c {} and k {}", conv.groups, conv.c, conv.k);
  }
  const std::vector<ConvAxis> axes = conv.axes();
  if (std::any_of(axes.begin(), axes.end(), [](const ConvAxis& axis) { return axis.out() < 1; })) {
    return userError("output is empty: {} filter does not fit {} image",
                     fmt::join(each(conv, [](const ConvAxis& a) { return a.filter; }), "x"),
                     fmt::join(each(conv, [](const ConvAxis& a) { return a.image; }), "x"));
  }
  if (!conv.epilogue.isNone() && conv.direction != ConvDirection::forward) {
    return userError("only forward convolutions support {}", conv.epilogue.text());
  }
  if (conv.epilogue.activation == Activation::softmax) {
    return userError("softmax is not supported for convolutions");
  }
  return check(conv.epilogue, conv.result);
}

std::string nameOf(const Conv& conv) {
  const auto sizes = [&](const auto& part) {
    return fmt::format("{}", fmt::join(each(conv, part), "x"));
  };
  std::string name = fmt::format("conv{}_{}_{}_{}x{}x{}_k{}_{}_s{}_p{}_d{}_g{}_{}",
                                 conv.spatial == 2 ? "" : fmt::format("{}d", conv.spatial),
                                 nameOf(conv.direction), layoutName(conv), conv.n, conv.c,
                                 sizes([](const ConvAxis& a) { return a.image; }), conv.k,
                                 sizes([](const ConvAxis& a) { return a.filter; }),
                                 sizes([](const ConvAxis& a) { return a.stride; }),
                                 sizes([](const ConvAxis& a) { return a.pad; }),
                                 sizes([](const ConvAxis& a) { return a.dilation; }), conv.groups,
                                 typesText(conv.input, conv.input, conv.result));
  return conv.epilogue.isNone() ? name : fmt::format("{}_{}", name, conv.epilogue.text());
}

std::vector<TensorType> operandTypes(const Conv& conv) {
  switch (conv.direction) {
    case ConvDirection::backwardData:
      return {outputType(conv, conv.input), filterType(conv, conv.input)};
    case ConvDirection::weightBackward:
      return {imageType(conv, conv.input), outputType(conv, conv.input)};
    case ConvDirection::forward:
      break;
  }
  std::vector<TensorType> operands = {imageType(conv, conv.input), filterType(conv, conv.input)};
  if (conv.epilogue.bias) {
    operands.push_back({{conv.k}, conv.result});
  }
  return operands;
}

TensorType resultType(const Conv& conv) {
  switch (conv.direction) {
    case ConvDirection::backwardData:
      return imageType(conv, conv.result);
    case ConvDirection::weightBackward:
      return filterType(conv, conv.result);
    case ConvDirection::forward:
      break;
  }
  return outputType(conv, conv.result);
}

std::int64_t reductionLength(const Conv& conv) {
  const std::int64_t filter = product(each(conv, [](const ConvAxis& a) { return a.filter; }));
  switch (conv.direction) {
    case ConvDirection::backwardData:
      return conv.k / conv.groups * filter;
    case ConvDirection::weightBackward:
      return conv.n * product(each(conv, [](const ConvAxis& a) { return a.out(); }));
    case ConvDirection::forward:
      break;
  }
  return conv.c / conv.groups * filter;
}

double countFlops(const Conv& conv) {
  // All directions do the multiplications of the forward one, in another order.
  Conv forward = conv;
  forward.direction = ConvDirection::forward;
  return 2.0 * static_cast<double>(resultType(forward).count()) *
         static_cast<double>(reductionLength(forward));
}

nlohmann::json toJson(const Conv& conv) {
  nlohmann::json json = {{"kind", "conv"},
                         {"direction", nameOf(conv.direction)},
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
  if (conv.spatial != 2) {
    json["spatial"] = conv.spatial;
  }
  if (conv.spatial == 3) {
    json.update({{"d", conv.d},
                 {"z", conv.z},
                 {"stride_d", conv.strideD},
                 {"pad_d", conv.padD},
                 {"dilation_d", conv.dilationD}});
  }
  if (!conv.epilogue.isNone()) {
    json["epilogue"] = conv.epilogue.text();
  }
  return json;
}

Result<Conv> convFrom(const nlohmann::json& json) {
  JsonReader reader(json, "problem");
  Conv conv;
  std::string kind;
  std::string direction;
  std::string layout;
  std::string input;
  std::string result;
  std::string epilogue;
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
  reader.optional("spatial", conv.spatial);
  reader.optional("d", conv.d);
  reader.optional("z", conv.z);
  reader.optional("stride_d", conv.strideD);
  reader.optional("pad_d", conv.padD);
  reader.optional("dilation_d", conv.dilationD);
  reader.optional("epilogue", epilogue);
  HONE_CHECK(reader.finish());
  conv.direction = HONE_TRY((enumFrom<ConvDirection>("direction", direction, kDirectionNames)));
  conv.layout = HONE_TRY((enumFrom<ConvLayout>("layout", layout, kLayouts)));
  conv.input = HONE_TRY(typeFrom(input));
  conv.result = HONE_TRY(typeFrom(result));
  conv.epilogue = HONE_TRY(epilogueFrom(epilogue));
  return conv;
}

}  // namespace hone::model
