#include "knobs/problem_root.h"

#include <algorithm>

namespace hone::knobs {
namespace {

using LoopsOfOperand = std::vector<std::vector<std::size_t>>;

model::RootOperand rootOperand(const model::TensorType& type, LoopsOfOperand loops) {
  return {type.shape, std::string(model::nameOf(type.element)), std::move(loops)};
}

/// Adds an outermost loop.
void addBatch(std::int64_t size, model::RootOperation& root) {
  root.loops.insert(root.loops.begin(), {size, false});
  for (auto* operands : {&root.inputs, &root.outputs}) {
    for (model::RootOperand& operand : *operands) {
      for (auto& loops : operand.loops) {
        for (std::size_t& loop : loops) {
          ++loop;
        }
      }
      operand.loops.insert(operand.loops.begin(), {0});
    }
  }
}

model::RootOperation matmulRootFrom(const model::Matmul& matmul) {
  model::RootOperation root;
  root.op = matmul.batch > 0 ? "linalg.batch_matmul" : "linalg.matmul";
  root.kind = model::RootKind::contraction;
  root.loops = {{matmul.m, false}, {matmul.n, false}, {matmul.k, true}};
  const auto types = model::operandTypes(matmul);
  root.inputs = {rootOperand(types[0], matmul.transposeLhs ? LoopsOfOperand{{2}, {0}}
                                                           : LoopsOfOperand{{0}, {2}}),
                 rootOperand(types[1], matmul.transposeRhs ? LoopsOfOperand{{1}, {2}}
                                                           : LoopsOfOperand{{2}, {1}})};
  root.outputs = {rootOperand(model::resultType(matmul), {{0}, {1}})};
  if (matmul.batch > 0) {
    addBatch(matmul.batch, root);
  }
  return root;
}

std::optional<model::RootOperation> convRootFrom(const model::Conv& conv) {
  const bool isPlain =
      conv.direction == model::ConvDirection::forward && conv.groups == 1 && conv.spatial == 2;
  if (!isPlain ||
      std::min({conv.n, conv.outH(), conv.outW(), conv.k, conv.y, conv.x, conv.c}) <= 1) {
    return std::nullopt;
  }
  model::RootOperation root;
  root.kind = model::RootKind::convolution;
  const auto types = model::operandTypes(conv);
  if (conv.layout == model::ConvLayout::nhwc) {
    root.op = "linalg.conv_2d_nhwc_fhwc";
    root.loops = {{conv.n, false}, {conv.outH(), false}, {conv.outW(), false}, {conv.k, false},
                  {conv.y, true},  {conv.x, true},       {conv.c, true}};
    root.inputs = {rootOperand(types[0], {{0}, {1, 4}, {2, 5}, {6}}),
                   rootOperand(types[1], {{3}, {4}, {5}, {6}})};
  } else {
    root.op = "linalg.conv_2d_nchw_fchw";
    root.loops = {{conv.n, false}, {conv.k, false}, {conv.outH(), false}, {conv.outW(), false},
                  {conv.c, true},  {conv.y, true},  {conv.x, true}};
    root.inputs = {rootOperand(types[0], {{0}, {4}, {2, 5}, {3, 6}}),
                   rootOperand(types[1], {{1}, {4}, {5}, {6}})};
  }
  root.outputs = {rootOperand(model::resultType(conv), {{0}, {1}, {2}, {3}})};
  return root;
}

/// Returns the root of an attention, with the loops query, value depth, key depth, key. The
/// compiler folds a batch of one.
model::RootOperation attentionRootFrom(const model::Attention& attention) {
  model::RootOperation root;
  root.op = "iree_linalg_ext.attention";
  root.kind = model::RootKind::attention;
  root.loops = {{attention.queries, false},
                {attention.depth, false},
                {attention.depth, true},
                {attention.keys, true}};
  auto types = model::operandTypes(attention);
  types.push_back(model::resultType(attention));
  if (attention.batch == 1) {
    for (model::TensorType& type : types) {
      type.shape.erase(type.shape.begin());
    }
  }
  root.inputs = {rootOperand(types[0], {{0}, {2}}), rootOperand(types[1], {{3}, {2}}),
                 rootOperand(types[2], {{3}, {1}})};
  root.outputs = {rootOperand(types[3], {{0}, {1}})};
  if (attention.batch > 1) {
    addBatch(attention.batch, root);
  }
  return root;
}

}  // namespace

std::optional<model::RootOperation> rootFrom(const model::Problem& problem) {
  if (const auto* matmul = std::get_if<model::Matmul>(&problem)) {
    return matmulRootFrom(*matmul);
  }
  if (const auto* conv = std::get_if<model::Conv>(&problem)) {
    return convRootFrom(*conv);
  }
  return attentionRootFrom(std::get<model::Attention>(problem));
}

}  // namespace hone::knobs
