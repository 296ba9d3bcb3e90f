#include "tune/layers/layer_rewrites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tune/layers/layer_code.h"
#include "tune/layers/layer_form.h"

namespace hone::tune {
namespace {

using model::Layer;

/// Returns the function that computes the layer in its way.
std::string layerFunction(const std::string& name, const LayerChoice& choice) {
  const Layer& layer = choice.layer;
  iree::Body body("");
  std::vector<iree::Value> operands;
  std::vector<std::string> arguments;
  for (const model::TensorType& type : layer.operands) {
    operands.push_back({fmt::format("%arg{}", operands.size()), type});
    arguments.push_back(fmt::format("{}: {}", operands.back().name, operands.back().text()));
  }
  const iree::Value result = writeLayer(body, layer, choice.way, operands);
  return fmt::format("  util.func private @{}({}) -> {} {{\n{}  util.return {} : {}\n  }}\n", name,
                     fmt::join(arguments, ", "), result.text(), body.text(), result.name,
                     result.text());
}

/// Returns the matcher of the layer's operand types.
std::string layerMatcher(const std::string& name, const Layer& layer) {
  std::string text = fmt::format(
      R"(  transform.named_sequence @is_{}(%op: !transform.any_op {{transform.readonly}}) -> !transform.any_op {{
    %all = transform.get_operand %op[all] : (!transform.any_op) -> !transform.any_value
    %count = transform.num_associations %all : (!transform.any_value) -> !transform.param<i64>
    %expected = transform.param.constant {} : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %count, %expected : !transform.param<i64>
)",
      name, layer.operands.size());
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    text += fmt::format(
        R"(    %operand{0} = transform.get_operand %op[{0}] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %operand{0} = {1} : !transform.any_value
)",
        i, iree::tensorText(layer.operands[i]));
  }
  return text + "    transform.yield %op : !transform.any_op\n  }\n";
}

/// Returns IR that finds the operations of the layer.
std::string findLayer(const std::string& name, const Layer& layer) {
  std::vector<std::string> attributes;
  for (const auto& [attribute, value] : layer.attributes) {
    attributes.push_back(fmt::format("{} = {}", attribute, value));
  }
  return fmt::format(
      R"(    %like_{0} = transform.structured.match ops{{["{1}"]}}{2} in %module
        : (!transform.any_op) -> !transform.any_op
    %{0} = transform.collect_matching @is_{0} in %like_{0} : (!transform.any_op) -> !transform.any_op
)",
      name, layer.op,
      attributes.empty() ? "" : fmt::format(" attributes {{{}}}", fmt::join(attributes, ", ")));
}

/// Returns IR that replaces the found operations with calls of the function, inlined.
std::string replaceLayer(const std::string& name) {
  return fmt::format(
      R"(    transform.foreach %{0} : !transform.any_op {{
    ^bb0(%layer: !transform.any_op):
      %table = transform.util.get_nearest_symbol_table %layer : (!transform.any_op) -> !transform.any_op
      %function = transform.util.import_symbol @{0} into %table if undefined
          : (!transform.any_op) -> !transform.any_op
      %from = transform.get_operand %layer[all] : (!transform.any_op) -> !transform.any_value
      %to = transform.get_result %layer[all] : (!transform.any_op) -> !transform.any_value
      transform.util.cast_and_call inline_call %function(%from) -> %to after %layer {{
        transform.type_conversion.tensor.cast_shape_dynamic_dims
      }} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> ()
    }}
)",
      name);
}

std::string packMatmul(const std::string& name) {
  return fmt::format("    transform.annotate %{} \"iree.opt.data_tiling\" : !transform.any_op\n",
                     name);
}

}  // namespace

LayerRewrites layerRewrites(std::span<const LayerChoice> choices) {
  LayerRewrites rewrites;
  for (const LayerChoice& choice : choices) {
    if (isMatmul(choice.layer) && choice.way == Way::matmul) {
      continue;
    }
    const bool packs = isMatmul(choice.layer) && choice.way == Way::packedMatmul;
    const std::string name = fmt::format("layer{}", &choice - choices.data());
    rewrites.definitions +=
        (packs ? "" : layerFunction(name, choice)) + layerMatcher(name, choice.layer);
    rewrites.steps +=
        findLayer(name, choice.layer) + (packs ? packMatmul(name) : replaceLayer(name));
  }
  if (!rewrites.steps.empty()) {
    // Packs move through generic operations only, for example through broadcast biases.
    rewrites.steps =
        R"(    %broadcasts = transform.structured.match ops{["linalg.broadcast"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %general = transform.structured.generalize %broadcasts : (!transform.any_op) -> !transform.any_op
)" + rewrites.steps +
        R"(    %program = transform.apply_registered_pass "symbol-dce" to %module
        : (!transform.any_op) -> !transform.any_op
    %rewritten = transform.structured.match ops{["util.func"]} in %program
        : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %rewritten : !transform.any_op
    transform.apply_patterns to %rewritten {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
)";
  }
  return rewrites;
}

std::vector<std::string> flagsFor(std::span<const LayerChoice> choices) {
  const bool packs = std::any_of(choices.begin(), choices.end(), [](const LayerChoice& choice) {
    return choice.way == Way::packedMatmul;
  });
  return packs ? std::vector<std::string>{"--iree-opt-data-tiling"} : std::vector<std::string>();
}

}  // namespace hone::tune
