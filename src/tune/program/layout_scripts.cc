#include "tune/program/layout_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace hone::tune {
namespace {

constexpr std::array<std::string_view, 3> kTypes = {"f32", "f16", "bf16"};

/// A transposition that is to stay where it is.
struct Turn {
  std::string_view name;
  std::array<int, 4> permutation;
  bool barrierFirst;  ///< what it is made of may not be fused; else its result
};

/// Those that putting channels last leaves behind, and that of filters which come last.
constexpr std::array<Turn, 4> kTurns = {{{"turned_image", {0, 2, 3, 1}, false},
                                         {"turned_filter", {2, 3, 1, 0}, false},
                                         {"turned_result", {0, 3, 1, 2}, true},
                                         {"filters_last", {1, 2, 3, 0}, false}}};

/// The function that takes the place of the transposition.
std::string functionFor(const Turn& turn, std::string_view type) {
  const auto& order = turn.permutation;
  const std::string turned =
      fmt::format("%d{}, %d{}, %d{}, %d{}", order[0], order[1], order[2], order[3]);
  const std::string barrier = fmt::format(
      "    %kept = iree_tensor_ext.compute_barrier.start {} : !any{{{}}} -> !any\n",
      turn.barrierFirst ? "%from" : "%turned", turn.barrierFirst ? "%d0, %d1, %d2, %d3" : turned);
  std::string text =
      fmt::format("  util.func private @{}_{}(%from: !any) -> !any {{\n", turn.name, type);
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(
        "    %c{0} = arith.constant {0} : index\n    %d{0} = tensor.dim %from, %c{0} : !any\n", i);
  }
  text += turn.barrierFirst ? barrier : "";
  text += fmt::format(
      "    %empty = tensor.empty({}) : !any\n"
      "    %turned = linalg.transpose ins({} : !any) outs(%empty : !any) permutation = {}\n",
      turned, turn.barrierFirst ? "%kept" : "%from", order);
  text += turn.barrierFirst ? "" : barrier;
  text += fmt::format("    util.return {} : !any\n  }}\n", turn.barrierFirst ? "%turned" : "%kept");
  // The parser takes aliases of types only outside of modules.
  for (std::size_t at = 0; (at = text.find("!any", at)) != std::string::npos;) {
    text.replace(at, 4, fmt::format("tensor<?x?x?x?x{}>", type));
  }
  return text;
}

/// Tells the transpositions of a type.
std::string matcherFor(std::string_view type) {
  return fmt::format(
      R"(  transform.named_sequence @is_{0}(%op: !transform.any_op {{transform.readonly}}) -> !transform.any_op {{
    transform.match.operation_name %op ["linalg.transpose"] : !transform.any_op
    %from = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %from = tensor<?x?x?x?x{0}> : !transform.any_value
    transform.yield %op : !transform.any_op
  }}
)",
      type);
}

/// Calls the function in the place of every such transposition.
std::string replacementFor(const Turn& turn) {
  std::string text = fmt::format(
      R"(    %{0} = transform.structured.match ops{{["linalg.transpose"]}} attributes {{permutation = array<i64: {1}>}} in %module
        : (!transform.any_op) -> !transform.any_op
)",
      turn.name, fmt::join(turn.permutation, ", "));
  for (const std::string_view type : kTypes) {
    text += fmt::format(
        R"(    %{0}_{1} = transform.collect_matching @is_{1} in %{0} : (!transform.any_op) -> !transform.any_op
    transform.foreach %{0}_{1} : !transform.any_op {{
    ^bb0(%turn: !transform.any_op):
      %table = transform.util.get_nearest_symbol_table %turn : (!transform.any_op) -> !transform.any_op
      %function = transform.util.import_symbol @{0}_{1} into %table if undefined
          : (!transform.any_op) -> !transform.any_op
      %from = transform.get_operand %turn[0] : (!transform.any_op) -> !transform.any_value
      %to = transform.get_result %turn[all] : (!transform.any_op) -> !transform.any_value
      transform.util.cast_and_call inline_call %function(%from) -> %to after %turn {{
        transform.type_conversion.tensor.cast_shape_dynamic_dims
      }} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> ()
    }}
)",
        turn.name, type);
  }
  return text;
}

/// Turns the filters of every convolution that has them first; `when` names the values.
std::string filtersLast(std::string_view when) {
  return fmt::format(
      R"(    %{0} = transform.structured.match ops{{["linalg.conv_2d_nhwc_fhwc"]}} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %{0} : !transform.any_op {{
    ^bb0(%convolution: !transform.any_op):
      %turned = transform.structured.transpose_conv2d %convolution
          : (!transform.any_op) -> !transform.any_op
    }}
)",
      when);
}

/// A script of which the convolutions are in the layout nhwc by hwcf when `then` begins.
std::string scriptWithChannelsLast(std::string_view then) {
  std::string text = "\nmodule attributes {transform.with_named_sequence} {\n";
  for (const std::string_view type : kTypes) {
    for (const Turn& turn : kTurns) {
      text += functionFor(turn, type);
    }
    text += matcherFor(type);
  }
  text += "  transform.named_sequence @__transform_main(%module: !transform.any_op) {\n";
  // The pass makes some of these unknown to the pipeline for convolutions, and new ones of others.
  text += filtersLast("before");
  text += R"(    %functions = transform.structured.match ops{["util.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %last = transform.apply_registered_pass "iree-preprocessing-convert-conv-to-channels-last" to %functions
        : (!transform.any_op) -> !transform.any_op
)";
  text += filtersLast("after");
  for (const Turn& turn : kTurns) {
    text += replacementFor(turn);
  }
  return fmt::format("{}{}    transform.yield\n  }}\n}}\n", text, then);
}

/// Doubles the body of the loops that go through a filter so often that none is left of any filter
/// of up to 31 places a side.
std::string unrolled(std::string_view along) {
  constexpr int kDoublings = 4;
  std::string text;
  for (int i = 0; i < kDoublings; ++i) {
    text += fmt::format(
        R"(    %{0}_{1} = transform.structured.match ops{{["scf.for"]}} attributes {{hone_{0}}} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %{0}_{1} factor = 2 : !transform.any_op
)",
        along, i);
  }
  return text;
}

/// Takes convolutions apart into one for each place of the filter along a side.
std::string placesOf(std::string_view along, std::string_view tiles) {
  return fmt::format(
             R"(    %of_{0} = transform.structured.match ops{{["linalg.conv_2d_nhwc_hwcf"]}} in %module
        : (!transform.any_op) -> !transform.any_op
    %at_{0}, %{0} = transform.structured.tile_using_for %of_{0} tile_sizes {1}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %{0} "hone_{0}" : !transform.any_op
)",
             along, tiles) +
         unrolled(along);
}

}  // namespace

std::string filtersLastScript() {
  return fmt::format(R"(
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%module: !transform.any_op) {{
{}    transform.yield
  }}
}}
)",
                     filtersLast("all"));
}

std::string channelsLastScript() { return scriptWithChannelsLast(""); }

std::string placeByPlaceScript() {
  return scriptWithChannelsLast(
      placesOf("rows", "[0, 0, 0, 0, 1]") + placesOf("columns", "[0, 0, 0, 0, 0, 1]") +
      R"(    %places = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %products = transform.structured.generalize %places : (!transform.any_op) -> !transform.any_op
    %done = transform.structured.match ops{["util.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %done {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
    } : !transform.any_op
)");
}

}  // namespace hone::tune
