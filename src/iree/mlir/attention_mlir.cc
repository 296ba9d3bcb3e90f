#include "iree/mlir/attention_mlir.h"

#include <fmt/ranges.h>

#include <cmath>

namespace hone::iree {

using model::Attention;
using model::ElementType;

Value attentionBody(Body& body, const Attention& attention, std::span<const Value> operands) {
  std::vector<std::string> maps;
  for (const std::string_view to : {"b, q, d", "b, k, d", "b, k, e", "", "b, q, e"}) {
    maps.push_back(fmt::format("affine_map<(b, q, e, d, k) -> ({})>", to));
  }
  const std::string scale = body.constant(
      "scale", fmt::format("{:.17e}", 1 / std::sqrt(attention.depth)), ElementType::f32);
  const Value into = body.empty(resultType(attention));
  const std::string attributes = body.rootAttributes("");
  const Value out = body.define(
      into.type,
      "iree_linalg_ext.attention <indexing_maps = [{}]> {}ins({}, {}, {}, {} : {}, {}, {}, f32) "
      "outs({} : {}) {{",
      fmt::join(maps, ", "), attributes.empty() ? "" : fmt::format("{{{}}} ", attributes),
      operands[0].name, operands[1].name, operands[2].name, scale, operands[0].text(),
      operands[1].text(), operands[2].text(), into.name, into.text());
  body.line("^bb0(%score: f32):");
  body.line("  iree_linalg_ext.yield %score : f32");
  body.line("}} -> {}", into.text());
  return out;
}

}  // namespace hone::iree
