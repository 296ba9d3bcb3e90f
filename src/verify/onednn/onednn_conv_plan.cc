#include "verify/onednn/onednn_conv_plan.h"

namespace hone::verify {
namespace {

using dnnl::memory;
using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using Desc = memory::desc;
using Forward = dnnl::convolution_forward;

void addForward(const Planning& planning, const ConvDescs& descs, const model::Epilogue& epilogue) {
  auto& call = planning.call;
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
  const Desc image = planning.requested(descs.image);
  const Desc filter = any(descs.filter);
  const Desc output = planning.requested(descs.output);
  const auto attributes = attributesFor(epilogue);
  const auto plan =
      epilogue.bias
          ? makePlan<Forward>(call.engine(), attributes, kKind, kDirect, image, filter, descs.bias,
                              output, descs.strides, descs.dilations, descs.padLeft, descs.padRight)
          : makePlan<Forward>(call.engine(), attributes, kKind, kDirect, image, filter, output,
                              descs.strides, descs.dilations, descs.padLeft, descs.padRight);
  OneDnnCall::Arguments arguments = {
      {DNNL_ARG_SRC, call.reordered(planning.operand(0, descs.image), plan.src_desc())},
      {DNNL_ARG_WEIGHTS, call.prepacked(planning.operand(1, descs.filter), plan.weights_desc())}};
  if (epilogue.bias) {
    arguments.emplace(DNNL_ARG_BIAS, planning.operand(2, descs.bias));
  }
  call.add(plan, Forward(plan), std::move(arguments), DNNL_ARG_DST, plan.dst_desc(),
           planning.result(descs.output));
}

void addBackwardData(const Planning& planning, const ConvDescs& descs) {
  auto& call = planning.call;
  const auto plan = descs.backward<dnnl::convolution_backward_data>(
      call.engine(), planning.requested(descs.image), any(descs.filter),
      planning.requested(descs.output));
  call.add(
      plan, dnnl::convolution_backward_data(plan),
      {{DNNL_ARG_DIFF_DST, call.reordered(planning.operand(0, descs.output), plan.diff_dst_desc())},
       {DNNL_ARG_WEIGHTS, call.prepacked(planning.operand(1, descs.filter), plan.weights_desc())}},
      DNNL_ARG_DIFF_SRC, plan.diff_src_desc(), planning.result(descs.image));
}

void addWeightBackward(const Planning& planning, const ConvDescs& descs) {
  auto& call = planning.call;
  const auto plan = descs.backward<dnnl::convolution_backward_weights>(
      call.engine(), planning.requested(descs.image), planning.requested(descs.filter),
      planning.requested(descs.output));
  call.add(plan, dnnl::convolution_backward_weights(plan),
           {{DNNL_ARG_SRC, call.reordered(planning.operand(0, descs.image), plan.src_desc())},
            {DNNL_ARG_DIFF_DST,
             call.reordered(planning.operand(1, descs.output), plan.diff_dst_desc())}},
           DNNL_ARG_DIFF_WEIGHTS, plan.diff_weights_desc(), planning.result(descs.filter));
}

}  // namespace

ConvDescs::ConvDescs(const Conv& conv) : input(conv.input) {
  memory::dims imageSizes = {conv.n, conv.c};
  memory::dims outputSizes = {conv.n, conv.k};
  memory::dims filterSizes = {conv.k / conv.groups, conv.c / conv.groups};
  if (conv.groups > 1) {
    filterSizes.insert(filterSizes.begin(), conv.groups);
  }
  const std::size_t filterChannels = filterSizes.size() - 1;
  for (const ConvAxis& axis : conv.axes()) {
    imageSizes.push_back(axis.image);
    outputSizes.push_back(axis.out());
    filterSizes.push_back(axis.filter);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation - 1);
    padLeft.push_back(axis.pad);
    // Extent of the last window; less than on the left if the stride does not divide evenly.
    padRight.push_back((axis.out() - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1 -
                       axis.image - axis.pad);
  }
  const auto stored = [&](const memory::dims& sizes, std::size_t channels, ConvDirection makes) {
    const bool channelsLast = conv.layout == model::ConvLayout::nhwc;
    return dense(sizes, conv.direction == makes ? conv.result : conv.input,
                 channelsLast ? channels : sizes.size() - 1);
  };
  image = stored(imageSizes, 1, ConvDirection::backwardData);
  filter = stored(filterSizes, filterChannels, ConvDirection::weightBackward);
  output = stored(outputSizes, 1, ConvDirection::forward);
  bias = dense({conv.k}, conv.result, 0);
}

dnnl::convolution_forward::primitive_desc ConvDescs::forward(const dnnl::engine& engine) const {
  const auto asInput = [&](const Desc& plain) {
    return Desc(tensorDims(plain), dataType(input), memory::format_tag::any);
  };
  return makePlan<Forward>(engine, attributesFor({}), dnnl::prop_kind::forward_training, kDirect,
                           asInput(image), asInput(filter), asInput(output), strides, dilations,
                           padLeft, padRight);
}

void addConv(const Planning& planning, const Conv& conv) {
  const ConvDescs descs(conv);
  switch (conv.direction) {
    case ConvDirection::forward:
      addForward(planning, descs, conv.epilogue);
      break;
    case ConvDirection::backwardData:
      addBackwardData(planning, descs);
      break;
    case ConvDirection::weightBackward:
      addWeightBackward(planning, descs);
      break;
  }
}

}  // namespace hone::verify
