#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "model/problem/root_operation.h"

namespace hone::model {

/// Prints roots in rapidcheck's counterexamples.
inline void showValue(const RootOperation& root, std::ostream& out) {
  out << nameOf(root.kind);
  for (const Loop& loop : root.loops) {
    out << ' ' << loop.size << (loop.reduction ? "r" : "");
  }
}

}  // namespace hone::model

namespace hone::knobs {

// Root operations as read from dispatches, all of f32.

inline model::RootOperand operand(std::vector<std::int64_t> shape,
                                  std::vector<std::vector<std::size_t>> loops) {
  return {std::move(shape), "f32", std::move(loops)};
}

inline model::RootOperation makeRoot(std::string op, model::RootKind kind,
                                     std::vector<model::Loop> loops) {
  model::RootOperation root;
  root.dispatch = "main_dispatch_0";
  root.op = std::move(op);
  root.kind = kind;
  root.loops = std::move(loops);
  return root;
}

inline model::RootOperation matmulRoot(std::int64_t m, std::int64_t n, std::int64_t k,
                                       bool transposeLhs = false, bool transposeRhs = false) {
  model::RootOperation root =
      makeRoot("linalg.matmul", model::RootKind::contraction, {{m, false}, {n, false}, {k, true}});
  root.inputs = {transposeLhs ? operand({k, m}, {{2}, {0}}) : operand({m, k}, {{0}, {2}}),
                 transposeRhs ? operand({n, k}, {{1}, {2}}) : operand({k, n}, {{2}, {1}})};
  root.outputs = {operand({m, n}, {{0}, {1}})};
  return root;
}

inline model::RootOperation batchMatmulRoot(std::int64_t batch, std::int64_t m, std::int64_t n,
                                            std::int64_t k) {
  model::RootOperation root = makeRoot("linalg.batch_matmul", model::RootKind::contraction,
                                       {{batch, false}, {m, false}, {n, false}, {k, true}});
  root.inputs = {operand({batch, m, k}, {{0}, {1}, {3}}), operand({batch, k, n}, {{0}, {3}, {2}})};
  root.outputs = {operand({batch, m, n}, {{0}, {1}, {2}})};
  return root;
}

/// Returns a convolution of a square image and filter without padding. The filter count is the last
/// dimension with channels last, the first with channels first.
inline model::RootOperation convRoot(bool channelsFirst, std::int64_t n, std::int64_t channels,
                                     std::int64_t out, std::int64_t filters, std::int64_t window) {
  const std::int64_t in = out + window - 1;
  model::RootOperation root = makeRoot("linalg.generic", model::RootKind::convolution, {});
  if (channelsFirst) {
    root.loops = {{n, false},       {filters, false}, {out, false},  {out, false},
                  {channels, true}, {window, true},   {window, true}};
    root.inputs = {operand({n, channels, in, in}, {{0}, {4}, {2, 5}, {3, 6}}),
                   operand({filters, channels, window, window}, {{1}, {4}, {5}, {6}})};
    root.outputs = {operand({n, filters, out, out}, {{0}, {1}, {2}, {3}})};
  } else {
    root.loops = {{n, false},     {out, false},   {out, false},    {filters, false},
                  {window, true}, {window, true}, {channels, true}};
    root.inputs = {operand({n, in, in, channels}, {{0}, {1, 4}, {2, 5}, {6}}),
                   operand({window, window, channels, filters}, {{4}, {5}, {6}, {3}})};
    root.outputs = {operand({n, out, out, filters}, {{0}, {1}, {2}, {3}})};
  }
  return root;
}

inline model::RootOperation attentionRoot(std::int64_t batch, std::int64_t queries,
                                          std::int64_t keys, std::int64_t depth) {
  model::RootOperation root =
      makeRoot("iree_linalg_ext.online_attention", model::RootKind::attention,
               {{batch, false}, {queries, false}, {depth, false}, {depth, true}, {keys, true}});
  root.inputs = {operand({batch, queries, depth}, {{0}, {1}, {3}}),
                 operand({batch, keys, depth}, {{0}, {4}, {3}}),
                 operand({batch, keys, depth}, {{0}, {4}, {2}})};
  root.outputs = {operand({batch, queries, depth}, {{0}, {1}, {2}})};
  return root;
}

/// Returns a sum of two tensors, the second optionally transposed.
inline model::RootOperation elementwiseRoot(std::int64_t rows, std::int64_t columns,
                                            bool transposed = false) {
  model::RootOperation root =
      makeRoot("linalg.generic", model::RootKind::elementwise, {{rows, false}, {columns, false}});
  root.inputs = {operand({rows, columns}, {{0}, {1}}), transposed
                                                           ? operand({columns, rows}, {{1}, {0}})
                                                           : operand({rows, columns}, {{0}, {1}})};
  root.outputs = {operand({rows, columns}, {{0}, {1}})};
  return root;
}

/// Returns a reduction over rows or over columns.
inline model::RootOperation reductionRoot(std::int64_t kept, std::int64_t summed,
                                          bool summedOutside = false) {
  model::RootOperation root =
      makeRoot("linalg.generic", model::RootKind::reduction, {{kept, false}, {summed, true}});
  root.inputs = {summedOutside ? operand({summed, kept}, {{1}, {0}})
                               : operand({kept, summed}, {{0}, {1}})};
  root.outputs = {operand({kept}, {{0}})};
  return root;
}

/// Draws an operation of one of these kinds.
inline rc::Gen<model::RootOperation> anyRoot() {
  const auto size = rc::gen::element<std::int64_t>(1, 2, 3, 7, 16, 35, 64, 97, 700, 8457);
  return rc::gen::apply(
      [](int kind, std::int64_t a, std::int64_t b, std::int64_t c, bool flag) {
        return kind == 0   ? matmulRoot(a, b, c, flag, !flag)
               : kind == 1 ? batchMatmulRoot(3, a, b, c)
               : kind == 2 ? convRoot(flag, 2, a % 64 + 1, b % 64 + 3, c % 64 + 1, 3)
               : kind == 3 ? reductionRoot(a, b, flag)
                           : elementwiseRoot(a, b, flag);
      },
      rc::gen::inRange(0, 5), size, size, size, rc::gen::arbitrary<bool>());
}

}  // namespace hone::knobs
