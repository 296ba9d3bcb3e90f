#include "model/workload/miopen_conv.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/problem/shown.h"
#include "model/workload/miopen_options.h"

namespace hone::model {
namespace {

struct ConvFields : Conv {
  std::int64_t directions = 0;  ///< sum of the bits in kDirections; 0: all
  std::string_view inLayout;    ///< "": channels first
  std::string_view outLayout;
  std::string_view filterLayout;
};

constexpr Conv kConvDefaults = {.layout = ConvLayout::nchw,
                                .n = 100,
                                .c = 3,
                                .h = 32,
                                .w = 32,
                                .k = 32,
                                .y = 3,
                                .x = 3,
                                .d = 32,
                                .z = 3};

constexpr std::string_view kRemoveLine = "remove the line";
constexpr std::string_view kNoCast = "remove the option; hone supports one operand type";

constexpr auto kConvOptions = std::to_array<Option<ConvFields>>({
    {'n', "batchsize", &ConvFields::n},
    {'c', "in_channels", &ConvFields::c},
    {'H', "in_h", &ConvFields::h},
    {'W', "in_w", &ConvFields::w},
    {'k', "out_channels", &ConvFields::k},
    {'y', "fil_h", &ConvFields::y},
    {'x', "fil_w", &ConvFields::x},
    {'p', "pad_h", &ConvFields::padH},
    {'q', "pad_w", &ConvFields::padW},
    {'u', "conv_stride_h", &ConvFields::strideH},
    {'v', "conv_stride_w", &ConvFields::strideW},
    {'l', "dilation_h", &ConvFields::dilationH},
    {'j', "dilation_w", &ConvFields::dilationW},
    {'g', "group_count", &ConvFields::groups},
    {'F', "forw", &ConvFields::directions},
    {'I', "in_layout", &ConvFields::inLayout},
    {'O', "out_layout", &ConvFields::outLayout},
    {'f', "fil_layout", &ConvFields::filterLayout},
    {'\0', "input_type", &ConvFields::input},
    {'\0', "result_type", &ConvFields::result},
    {'m', "mode", FixedValue{"conv", kRemoveLine}},
    {'_', "spatial_dim", &ConvFields::spatial},
    {'!', "in_d", &ConvFields::d},
    {'@', "fil_d", &ConvFields::z},
    {'#', "conv_stride_d", &ConvFields::strideD},
    {'$', "pad_d", &ConvFields::padD},
    {'^', "dilation_d", &ConvFields::dilationD},
    {'z', "pad_mode", FixedValue{"default", "use -p and -q for the padding"}},
    {'r', "pad_val", FixedValue{"0", kRemoveLine}},
    {'b', "bias", FixedValue{"0", "remove -b to measure the convolution alone"}},
    {'Z', "tensor_vect", FixedValue{"0", kRemoveLine}},
    {'L', "vector_length", FixedValue{"1", kRemoveLine}},
    {'U', "in_cast_type", FixedValue{"-1", kNoCast}},
    {'T', "out_cast_type", FixedValue{"-1", kNoCast}},
    {'R', "wei_cast_type", FixedValue{"-1", kNoCast}},
    {'t', "time", Ignored{}},
    {'i', "iter", Ignored{}},
    {'V', "verify", Ignored{}},
    {'C', "verification_cache", Ignored{}},
    {'w', "wall", Ignored{}},
    {'s', "search", Ignored{}},
    {'P', "printconv", Ignored{}},
    {'o', "dump_output", Ignored{}},
    {'d', "in_data", Ignored{}},
    {'e', "weights", Ignored{}},
    {'a', "in_bias", Ignored{}},
    {'D', "dout_data", Ignored{}},
    {'S', "solution", Ignored{}},
    {'G', "gpualloc", Ignored{}},
    // MIOpen reads these for transposed convolutions only.
    {'%', "trans_output_pad_d", Ignored{}},
    {'Y', "trans_output_pad_h", Ignored{}},
    {'X', "trans_output_pad_w", Ignored{}},
});

struct Direction {
  std::int64_t bit;
  ConvDirection direction;
};

constexpr std::array<Direction, 3> kDirections = {{{1, ConvDirection::forward},
                                                   {2, ConvDirection::backwardData},
                                                   {4, ConvDirection::weightBackward}}};
constexpr std::int64_t kAllDirections = 7;

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Returns the common layout of the tensors. MIOpen allows one per tensor, hone does not.
Result<ConvLayout> parseLayout(const ConvFields& fields) {
  const std::string channelsLast = upper(layoutName(ConvLayout::nhwc, fields.spatial));
  const std::string channelsFirst = upper(layoutName(ConvLayout::nchw, fields.spatial));
  const auto orDefault = [&](std::string_view text) {
    return text.empty() ? channelsFirst : upper(text);
  };
  const std::string in = orDefault(fields.inLayout);
  for (const std::string& layout :
       {in, orDefault(fields.outLayout), orDefault(fields.filterLayout)}) {
    if (layout != channelsLast && layout != channelsFirst) {
      return userError("layout '{}' is not supported; use {} or {}", shown(layout), channelsLast,
                       channelsFirst);
    }
    if (layout != in) {
      return userError(
          "mixed layouts are not supported: in {}, out {}, fil {}; set --in_layout, "
          "--out_layout and --fil_layout to the same layout (default {})",
          in, orDefault(fields.outLayout), orDefault(fields.filterLayout), channelsFirst);
    }
  }
  return in == channelsLast ? ConvLayout::nhwc : ConvLayout::nchw;
}

/// Resets the depth of 2-D convolutions: lines may contain it, but MIOpen ignores it.
Result<void> normalizeDimensions(ConvFields& fields) {
  if (fields.spatial != 2 && fields.spatial != 3) {
    return userError("--spatial_dim {} is not supported; use 2 or 3", fields.spatial);
  }
  if (fields.spatial == 2) {
    fields.d = fields.z = fields.strideD = fields.dilationD = 1;
    fields.padD = 0;
  }
  return {};
}

}  // namespace

Result<std::vector<Problem>> convProblems(const CommandTypes& types,
                                          std::span<const std::string_view> options) {
  ConvFields fields;
  static_cast<Conv&>(fields) = kConvDefaults;
  fields.input = types.input;
  fields.result = types.result;
  HONE_CHECK(readOptions<ConvFields>(options, kConvOptions, fields));
  HONE_CHECK(normalizeDimensions(fields));
  fields.layout = HONE_TRY(parseLayout(fields));
  if (fields.directions < 0 || fields.directions > kAllDirections) {
    return userError(
        "invalid -F {}; use 1 (forward), 2 (backward data), 4 (weight backward), a sum of them, "
        "or 0 for all",
        fields.directions);
  }
  std::vector<Problem> problems;
  for (const Direction& one : kDirections) {
    if (fields.directions == 0 || (fields.directions & one.bit) != 0) {
      fields.direction = one.direction;
      problems.emplace_back(static_cast<const Conv&>(fields));
    }
  }
  if (const auto valid = check(problems.front()); !valid) {
    return userError("{}; correct the sizes", valid.error().message);
  }
  return problems;
}

std::string convCommand(const Conv& conv) {
  const CommandTypes& types = findCommandTypes(conv.input);
  const std::string layout = upper(layoutName(conv));
  std::string line = fmt::format(
      "conv{} -n {} -c {} -H {} -W {} -k {} -y {} -x {} -p {} -q {} -u {} -v {} -l {} -j {} -m "
      "conv -g {} -F {} --in_layout {} --out_layout {} --fil_layout {}",
      types.suffix, conv.n, conv.c, conv.h, conv.w, conv.k, conv.y, conv.x, conv.padH, conv.padW,
      conv.strideH, conv.strideW, conv.dilationH, conv.dilationW, conv.groups,
      kDirections[static_cast<std::size_t>(conv.direction)].bit, layout, layout, layout);
  if (conv.spatial == 3) {
    line += fmt::format(
        " --spatial_dim 3 --in_d {} --fil_d {} --pad_d {} --conv_stride_d {} --dilation_d {}",
        conv.d, conv.z, conv.padD, conv.strideD, conv.dilationD);
  }
  if (conv.input != types.input) {
    line += fmt::format(" --input_type {}", nameOf(conv.input));
  }
  if (conv.result != types.result) {
    line += fmt::format(" --result_type {}", nameOf(conv.result));
  }
  return line;
}

}  // namespace hone::model
