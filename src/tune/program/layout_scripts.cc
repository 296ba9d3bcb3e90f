#include "tune/program/layout_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace hone::tune {
namespace {

constexpr std::array<std::string_view, 3> kTypes = {"f32", "f16", "bf16"};

/// A transpose that must not be fused or moved.
struct Transpose {
  std::string_view name;
  std::array<int, 4> permutation;
  bool barrierFirst;  ///< the barrier is on its operand; otherwise on its result
};

/// Transposes left by the channels-last conversion, and that of last filters.
constexpr std::array<Transpose, 4> kTransposes = {{{"turned_image", {0, 2, 3, 1}, false},
                                                   {"turned_filter", {2, 3, 1, 0}, false},
                                                   {"turned_result", {0, 3, 1, 2}, true},
                                                   {"filters_last", {1, 2, 3, 0}, false}}};

/// Returns the function that replaces the transpose.
std::string functionFor(const Transpose& transpose, std::string_view type) {
  const auto& order = transpose.permutation;
  const std::string turned =
      fmt::format("%d{}, %d{}, %d{}, %d{}", order[0], order[1], order[2], order[3]);
  const std::string barrier =
      fmt::format("    %kept = iree_tensor_ext.compute_barrier.start {} : !any{{{}}} -> !any\n",
                  transpose.barrierFirst ? "%from" : "%turned",
                  transpose.barrierFirst ? "%d0, %d1, %d2, %d3" : turned);
  std::string text =
      fmt::format("  util.func private @{}_{}(%from: !any) -> !any {{\n", transpose.name, type);
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(
        "    %c{0} = arith.constant {0} : index\n    %d{0} = tensor.dim %from, %c{0} : !any\n", i);
  }
  text += transpose.barrierFirst ? barrier : "";
  text += fmt::format(
      "    %empty = tensor.empty({}) : !any\n"
      "    %turned = linalg.transpose ins({} : !any) outs(%empty : !any) permutation = {}\n",
      turned, transpose.barrierFirst ? "%kept" : "%from", order);
  text += transpose.barrierFirst ? "" : barrier;
  text += fmt::format("    util.return {} : !any\n  }}\n",
                      transpose.barrierFirst ? "%turned" : "%kept");
  // The parser accepts type aliases only outside of modules.
  for (std::size_t at = 0; (at = text.find("!any", at)) != std::string::npos;) {
    text.replace(at, 4, fmt::format("tensor<?x?x?x?x{}>", type));
  }
  return text;
}

/// Returns a matcher of the transposes of a type.
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

/// Returns IR that replaces each such transpose with a call of the function.
std::string replacementFor(const Transpose& transpose) {
  std::string text = fmt::format(
      R"(    %{0} = transform.structured.match ops{{["linalg.transpose"]}} attributes {{permutation = array<i64: {1}>}} in %program
        : (!transform.any_op) -> !transform.any_op
)",
      transpose.name, fmt::join(transpose.permutation, ", "));
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
        transpose.name, type);
  }
  return text;
}

/// Returns IR that transposes the filters of every filter-first convolution; `when` makes the value
/// names unique.
std::string filtersLast(std::string_view when) {
  return fmt::format(
      R"(    %{0} = transform.structured.match ops{{["linalg.conv_2d_nhwc_fhwc"]}} in %program
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %{0} : !transform.any_op {{
    ^bb0(%convolution: !transform.any_op):
      %turned = transform.structured.transpose_conv2d %convolution
          : (!transform.any_op) -> !transform.any_op
    }}
)",
      when);
}

/// Returns a script that computes the layers in their ways, converts other convolutions to the
/// layout nhwc by hwcf, then runs `then`.
std::string scriptWithChannelsLast(std::span<const LayerChoice> choices, std::string_view then) {
  const LayerRewrites rewrites = layerRewrites(choices);
  std::string text =
      "\nmodule attributes {transform.with_named_sequence} {\n" + rewrites.definitions;
  for (const std::string_view type : kTypes) {
    for (const Transpose& transpose : kTransposes) {
      text += functionFor(transpose, type);
    }
    text += matcherFor(type);
  }
  text += fmt::format("  transform.named_sequence @__transform_main(%{}: !transform.any_op) {{\n{}",
                      rewrites.steps.empty() ? "program" : "module", rewrites.steps);
  // The pass rewrites some filter-first convolutions to a form that the convolution pipeline does
  // not recognize, and creates new ones from others.
  text += filtersLast("before");
  text += R"(    %functions = transform.structured.match ops{["util.func"]} in %program
        : (!transform.any_op) -> !transform.any_op
    %last = transform.apply_registered_pass "iree-preprocessing-convert-conv-to-channels-last" to %functions
        : (!transform.any_op) -> !transform.any_op
)";
  text += filtersLast("after");
  for (const Transpose& transpose : kTransposes) {
    text += replacementFor(transpose);
  }
  return fmt::format("{}{}    transform.yield\n  }}\n}}\n", text, then);
}

/// Unrolls the loops over a filter completely, for filters with up to 31 positions per side.
std::string unrollLoops(std::string_view along) {
  constexpr int kDoublings = 4;
  std::string text;
  for (int i = 0; i < kDoublings; ++i) {
    text += fmt::format(
        R"(    %{0}_{1} = transform.structured.match ops{{["scf.for"]}} attributes {{hone_{0}}} in %program
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %{0}_{1} factor = 2 : !transform.any_op
)",
        along, i);
  }
  return text;
}

/// Splits convolutions into one per filter position along a side.
std::string splitByPosition(std::string_view along, std::string_view tiles) {
  return fmt::format(
             R"(    %of_{0} = transform.structured.match ops{{["linalg.conv_2d_nhwc_hwcf"]}} in %program
        : (!transform.any_op) -> !transform.any_op
    %at_{0}, %{0} = transform.structured.tile_using_for %of_{0} tile_sizes {1}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %{0} "hone_{0}" : !transform.any_op
)",
             along, tiles) +
         unrollLoops(along);
}

}  // namespace

std::string filtersLastScript() {
  return fmt::format(R"(
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%program: !transform.any_op) {{
{}    transform.yield
  }}
}}
)",
                     filtersLast("all"));
}

std::string channelsLastScript(std::span<const LayerChoice> choices) {
  return scriptWithChannelsLast(choices, "");
}

std::string perPositionScript(std::span<const LayerChoice> choices) {
  return scriptWithChannelsLast(
      choices,
      splitByPosition("rows", "[0, 0, 0, 0, 1]") +
          splitByPosition("columns", "[0, 0, 0, 0, 0, 1]") +
          R"(    %places = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %program
        : (!transform.any_op) -> !transform.any_op
    %products = transform.structured.generalize %places : (!transform.any_op) -> !transform.any_op
    %done = transform.structured.match ops{["util.func"]} in %program
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %done {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
    } : !transform.any_op
)");
}

}  // namespace hone::tune
