#include "kernel/propose/tilelang/tilelang_products.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using Kind = PythonExpr::Kind;
using Buffers = std::map<std::string, TileBuffer>;

/// A variable of a loop nest.
struct NestVariable {
  std::string name;
  std::string extent;
  std::string kind;
};

/// A perfect nest of loops around one assignment.
struct TileNest {
  std::vector<NestVariable> variables;
  TileAssignment inner;

  [[nodiscard]] const NestVariable* find(std::string_view name) const {
    const auto found = std::ranges::find(variables, name, &NestVariable::name);
    return found == variables.end() ? nullptr : &*found;
  }
};

bool isSerial(std::string_view kind) {
  return kind == "serial" || kind == "range" || kind == "unroll" || kind == "Pipelined" ||
         kind == "Serial" || kind == "grid";
}

std::optional<TileNest> nestAt(const TileProgram& program, const PythonStatement& outermost) {
  TileNest nest;
  const PythonStatement* at = &outermost;
  while (const auto loop = program.loop(*at)) {
    const bool one = isSerial(loop->kind) && loop->kind != "grid";
    // T.serial(a, b) has a start.
    if (at->body.size() != 1 || loop->extents.size() != loop->variables.size() ||
        (one && loop->extents.size() != 1)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < loop->variables.size(); ++i) {
      nest.variables.push_back({loop->variables[i], loop->extents[i].source, loop->kind});
    }
    at = &at->body.front();
  }
  auto inner = program.assignment(*at);
  if (nest.variables.empty() || !inner) {
    return std::nullopt;
  }
  nest.inner = *std::move(inner);
  return nest;
}

/// Returns x of T.cast(x, type), T.Cast(type, x) and x.astype(type); otherwise the expression.
const PythonExpr& withoutCasts(const TileProgram& program, const PythonExpr& expression) {
  const std::string_view function = program.calledFunction(expression);
  if (function == "cast" && expression.args.size() == 3) {
    return withoutCasts(program, expression.args[1]);
  }
  if (function == "Cast" && expression.args.size() == 3) {
    return withoutCasts(program, expression.args[2]);
  }
  if (expression.kind == Kind::call && expression.args[0].kind == Kind::member &&
      expression.args[0].text == "astype") {
    return withoutCasts(program, expression.args[0].args[0]);
  }
  return expression;  // NOLINT(bugprone-return-const-ref-from-parameter): of a parsed program
}

/// Returns what a sum adds in each step: e of `s += e`, `s = s + e` and `s = e + s`.
const PythonExpr* addedTerm(const TileAssignment& assigned) {
  if (assigned.op == "+=") {
    return &assigned.value;
  }
  const PythonExpr& value = assigned.value;
  if (assigned.op != "=" || value.kind != Kind::binary || value.text != "+") {
    return nullptr;
  }
  if (value.args[0].source == assigned.target.source) {
    return &value.args[1];
  }
  return value.args[1].source == assigned.target.source ? &value.args.front() : nullptr;
}

/// A factor of a product: a two-dimensional tile of a tensor, with further fixed indices before it.
struct Operand {
  std::string tensor;
  std::string before;  ///< fixed indices: "b, "
  std::string row;     ///< start of the tile along its first dimension
  std::string column;
  bool transposed = false;  ///< the second variable is the first dimension
};

/// Returns the operand with the indices of two variables as its last dimensions.
std::optional<Operand> matchOperand(const PythonExpr& access, const std::string& first,
                                    const std::string& second) {
  if (!access.isIndexOf() || access.args.size() < 3) {
    return std::nullopt;
  }
  Operand operand{.tensor = access.args[0].text, .before = "", .row = "", .column = ""};
  for (std::size_t i = 1; i + 2 < access.args.size(); ++i) {
    if (access.args[i].mentions(first) || access.args[i].mentions(second)) {
      return std::nullopt;
    }
    operand.before += access.args[i].source + ", ";
  }
  const PythonExpr& row = access.args[access.args.size() - 2];
  const PythonExpr& column = access.args.back();
  operand.transposed = row.mentions(second);
  const std::string& rowVariable = operand.transposed ? second : first;
  const std::string& columnVariable = operand.transposed ? first : second;
  const auto rowStart = offsetFrom(row, rowVariable);
  const auto columnStart = offsetFrom(column, columnVariable);
  if (!rowStart || !columnStart || row.mentions(columnVariable) || column.mentions(rowVariable)) {
    return std::nullopt;
  }
  operand.row = *rowStart;
  operand.column = *columnStart;
  return operand;
}

/// acc[i, j] += left[i, k] * right[k, j]
struct TileProduct {
  NestVariable i, j, k;
  std::string sum;
  Operand left, right;
};

std::optional<TileProduct> matchProduct(const TileProgram& program, const TileNest& nest) {
  const PythonExpr& target = nest.inner.target;
  const PythonExpr* added = addedTerm(nest.inner);
  if (nest.variables.size() != 3 || added == nullptr || !target.isIndexOf() ||
      target.args.size() != 3) {
    return std::nullopt;
  }
  const NestVariable* i = nest.find(target.args[1].source);
  const NestVariable* j = nest.find(target.args[2].source);
  const PythonExpr& product = withoutCasts(program, *added);
  if (i == nullptr || j == nullptr || i == j || product.kind != Kind::binary ||
      product.text != "*") {
    return std::nullopt;
  }
  const auto k = std::ranges::find_if(
      nest.variables, [&](const NestVariable& one) { return &one != i && &one != j; });
  if (!isSerial(k->kind)) {
    return std::nullopt;
  }
  for (const bool swapped : {false, true}) {
    const auto left =
        matchOperand(withoutCasts(program, product.args[swapped ? 1 : 0]), i->name, k->name);
    const auto right =
        matchOperand(withoutCasts(program, product.args[swapped ? 0 : 1]), k->name, j->name);
    if (left && right) {
      return TileProduct{*i, *j, *k, target.args[0].text, *left, *right};
    }
  }
  return std::nullopt;
}

/// Writes code for one replaced statement.
class ReplacementWriter {
 public:
  ReplacementWriter(const TileProgram& program, const PythonStatement& replaced)
      : program_(program), indent_(replaced.indent) {}

  void line(int depth, const std::string& text) {
    if (!text_.empty()) {
      text_ += "\n" + std::string(indent_ + static_cast<std::size_t>(depth) * 4, ' ');
    }
    text_ += text;
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& module() const { return program_.module(); }
  [[nodiscard]] std::string fresh(std::string_view base) const { return program_.freshName(base); }

 private:
  const TileProgram& program_;
  std::size_t indent_;
  std::string text_;
};

/// True for types whose products tensor cores compute without a loss of bits.
bool isNarrow(const std::string& type) {
  constexpr std::array<std::string_view, 4> kNarrow = {"float16", "bfloat16", "int8", "half"};
  return std::ranges::find(kNarrow, type) != kNarrow.end();
}

std::string gemmCall(const TileProgram& program, const TileProduct& product,
                     const std::string& left, const std::string& right) {
  return fmt::format("{}gemm({}, {}, {}{}{})", program.module(), left, right, product.sum,
                     product.left.transposed ? ", transpose_A=True" : "",
                     product.right.transposed ? ", transpose_B=True" : "");
}

/// Returns the product by tiles in shared memory: T.gemm, or loops over the tiles.
std::string stagedProduct(const TileProgram& program, const PythonStatement& replaced,
                          const TileProduct& product, const Buffers& buffers, int depth,
                          bool byGemm) {
  ReplacementWriter out(program, replaced);
  const std::string& t = out.module();
  const std::string step = out.fresh("step");
  const std::string inner = out.fresh("inner");
  const auto shared = [&](const Operand& one) { return out.fresh(one.tensor + "_shared"); };
  const auto tile = [&](const Operand& one, const std::string& first, const std::string& second) {
    return one.transposed ? fmt::format("({}, {})", second, first)
                          : fmt::format("({}, {})", first, second);
  };
  const auto start = [&](const Operand& one, bool reducedFirst) {
    // The tile starts at `step` along the dimension of k.
    const bool reducedIsRow = reducedFirst != one.transposed;
    const auto along = [&](const std::string& offset, bool reduced) {
      const std::string at = fmt::format("{} * {}", step, depth);
      return !reduced ? offset : offset == "0" ? at : fmt::format("{} + {}", offset, at);
    };
    return fmt::format("{}[{}{}, {}]", one.tensor, one.before, along(one.row, reducedIsRow),
                       along(one.column, !reducedIsRow));
  };
  const std::string left = shared(product.left);
  const std::string right =
      product.right.tensor == product.left.tensor ? out.fresh(left + "_b") : shared(product.right);
  const std::string deep = std::to_string(depth);
  out.line(0, fmt::format("{} = {}alloc_shared({}, {})", left, t,
                          tile(product.left, product.i.extent, deep),
                          buffers.at(product.left.tensor).type));
  out.line(0, fmt::format("{} = {}alloc_shared({}, {})", right, t,
                          tile(product.right, deep, product.j.extent),
                          buffers.at(product.right.tensor).type));
  out.line(0, fmt::format("for {} in {}Pipelined({}ceildiv({}, {}), num_stages=2):", step, t, t,
                          product.k.extent, depth));
  out.line(1, fmt::format("{}copy({}, {})", t, start(product.left, false), left));
  out.line(1, fmt::format("{}copy({}, {})", t, start(product.right, true), right));
  if (byGemm) {
    out.line(1, gemmCall(program, product, left, right));
    return out.text();
  }
  const auto element = [&](const std::string& tileName, const Operand& one,
                           const std::string& first, const std::string& second) {
    const std::string read = one.transposed ? fmt::format("{}[{}, {}]", tileName, second, first)
                                            : fmt::format("{}[{}, {}]", tileName, first, second);
    // Products of narrow types would overflow.
    const std::string& type = buffers.at(product.sum).type;
    return buffers.at(one.tensor).type == type ? read
                                               : fmt::format("{}cast({}, {})", t, read, type);
  };
  out.line(1, fmt::format("for {} in {}serial({}):", inner, t, depth));
  out.line(2, fmt::format("for {}, {} in {}Parallel({}, {}):", product.i.name, product.j.name, t,
                          product.i.extent, product.j.extent));
  out.line(3, fmt::format("{}[{}, {}] += {} * {}", product.sum, product.i.name, product.j.name,
                          element(left, product.left, product.i.name, inner),
                          element(right, product.right, inner, product.j.name)));
  return out.text();
}

/// Returns true if the operand is a whole buffer of the extents of the variables.
bool isWholeTile(const Operand& operand, const TileBuffer& buffer, const std::string& first,
                 const std::string& second) {
  return operand.row == "0" && operand.column == "0" && operand.before.empty() &&
         buffer.shape.size() == 2 && buffer.shape[operand.transposed ? 1 : 0] == first &&
         buffer.shape[operand.transposed ? 0 : 1] == second;
}

TextKnob knobFor(const PythonStatement& replaced, std::string name, std::string technique) {
  return {.name = std::move(name),
          .technique = std::move(technique),
          .value = "loops",
          .values = {},
          .places = {{replaced.begin, replaced.blockEnd - replaced.begin}},
          .line = replaced.line};
}

void addProduct(const TileProgram& program, const PythonStatement& outermost, const TileNest& nest,
                const Buffers& buffers, std::vector<TextKnob>& knobs) {
  const auto product = matchProduct(program, nest);
  if (!product || !buffers.contains(product->sum) || !buffers.contains(product->left.tensor) ||
      !buffers.contains(product->right.tensor)) {
    return;
  }
  const TileBuffer& left = buffers.at(product->left.tensor);
  const TileBuffer& right = buffers.at(product->right.tensor);
  const std::string type = program.resolveType(left.type);
  const bool byGemm = buffers.at(product->sum).memory == "fragment" && isNarrow(type) &&
                      type == program.resolveType(right.type);
  if (left.memory == "global" && right.memory == "global") {
    if (byGemm) {
      TextKnob knob = knobFor(outermost, "gemm", "tensor-cores");
      for (const int depth : {32, 64}) {
        knob.values.push_back(stagedProduct(program, outermost, *product, buffers, depth, true));
      }
      knobs.push_back(std::move(knob));
    }
    TextKnob knob = knobFor(outermost, "shared", "shared-memory");
    for (const int depth : {32, 16}) {
      knob.values.push_back(stagedProduct(program, outermost, *product, buffers, depth, false));
    }
    knobs.push_back(std::move(knob));
  } else if (byGemm && left.memory == "shared" && right.memory == "shared" &&
             isWholeTile(product->left, left, product->i.extent, product->k.extent) &&
             isWholeTile(product->right, right, product->k.extent, product->j.extent)) {
    TextKnob knob = knobFor(outermost, "gemm", "tensor-cores");
    knob.values.push_back(gemmCall(program, *product, product->left.tensor, product->right.tensor));
    knobs.push_back(std::move(knob));
  }
}

/// A sum, maximum or minimum over one serial loop: acc[i] = combine(acc[i], term).
struct TileReduction {
  std::optional<NestVariable> i;  ///< nothing for acc[0]
  NestVariable k;
  std::string sum;
  std::string term;
  std::string kind;  ///< "sum", "max" or "min"
};

/// Returns the kind of a reduction and the term it combines.
std::optional<std::pair<std::string, const PythonExpr*>> combinedTerm(
    const TileProgram& program, const TileAssignment& assigned) {
  if (const PythonExpr* added = addedTerm(assigned)) {
    return std::pair(std::string("sum"), added);
  }
  const std::string_view function = program.calledFunction(assigned.value);
  if (assigned.op == "=" && (function == "max" || function == "min") &&
      assigned.value.args.size() == 3) {
    for (const std::size_t other : {1, 2}) {
      if (assigned.value.args[3 - other].source == assigned.target.source) {
        return std::pair(std::string(function), &assigned.value.args[other]);
      }
    }
  }
  return std::nullopt;
}

std::optional<TileReduction> matchReduction(const TileProgram& program, const TileNest& nest,
                                            const Buffers& buffers) {
  const PythonExpr& target = nest.inner.target;
  const auto combined = combinedTerm(program, nest.inner);
  if (nest.variables.size() > 2 || !combined || !target.isIndexOf() || target.args.size() != 2 ||
      combined->second->mentions(target.args[0].text)) {
    return std::nullopt;
  }
  const auto sum = buffers.find(target.args[0].text);
  const NestVariable* i = nest.find(target.args[1].source);
  if (sum == buffers.end() || sum->second.memory != "fragment" || sum->second.shape.size() != 1 ||
      (i == nullptr && (nest.variables.size() != 1 || target.args[1].source != "0")) ||
      (i != nullptr && (nest.variables.size() != 2 || i->kind != "Parallel" ||
                        i->extent != sum->second.shape[0]))) {
    return std::nullopt;
  }
  const auto k =
      std::ranges::find_if(nest.variables, [&](const NestVariable& one) { return &one != i; });
  if (!isSerial(k->kind) || !combined->second->mentions(k->name)) {
    return std::nullopt;
  }
  return TileReduction{i == nullptr ? std::nullopt : std::optional(*i), *k, target.args[0].text,
                       combined->second->source, combined->first};
}

std::string tiledReduction(const TileProgram& program, const PythonStatement& replaced,
                           const TileReduction& reduction, const std::string& type, int width) {
  ReplacementWriter out(program, replaced);
  const std::string& t = out.module();
  const std::string step = out.fresh("step");
  const std::string lane = out.fresh("lane");
  const std::string partial = out.fresh(reduction.sum + "_partial");
  const std::string total = out.fresh(reduction.sum + "_total");
  const std::string row = reduction.i ? reduction.i->name : out.fresh("row");
  const std::string rows = reduction.i ? reduction.i->extent : "1";
  const std::string neutral = reduction.kind == "sum"   ? "0"
                              : reduction.kind == "max" ? fmt::format("-{}infinity({})", t, type)
                                                        : fmt::format("{}infinity({})", t, type);
  const std::string at = fmt::format("{} * {} + {}", step, width, lane);
  std::string term = reduction.term;
  RE2::GlobalReplace(&term, fmt::format(R"(\b{}\b)", reduction.k.name), fmt::format("({})", at));
  const std::string guarded =
      fmt::format("{}if_then_else({} < {}, {}, {})", t, at, reduction.k.extent, term, neutral);
  const auto combine = [&](const std::string& into, const std::string& what) {
    return reduction.kind == "sum"
               ? fmt::format("{} += {}", into, what)
               : fmt::format("{0} = {1}{2}({0}, {3})", into, t, reduction.kind, what);
  };
  const std::string element = fmt::format("{}[{}]", reduction.sum, reduction.i ? row : "0");
  out.line(0, fmt::format("{} = {}alloc_fragment(({}, {}), {})", partial, t, rows, width, type));
  out.line(0, fmt::format("{} = {}alloc_fragment(({},), {})", total, t, rows, type));
  out.line(0, fmt::format("{}fill({}, {})", t, partial, neutral));
  out.line(0, fmt::format("for {} in {}serial({}ceildiv({}, {})):", step, t, t, reduction.k.extent,
                          width));
  out.line(1, fmt::format("for {}, {} in {}Parallel({}, {}):", row, lane, t, rows, width));
  out.line(2, combine(fmt::format("{}[{}, {}]", partial, row, lane), guarded));
  out.line(0, fmt::format("{}reduce_{}({}, {}, dim=1)", t, reduction.kind, partial, total));
  out.line(0, fmt::format("for {} in {}Parallel({}):", row, t, rows));
  out.line(1, combine(element, fmt::format("{}[{}]", total, reduction.i ? row : "0")));
  return out.text();
}

void addReduction(const TileProgram& program, const PythonStatement& outermost,
                  const TileNest& nest, const Buffers& buffers, std::vector<TextKnob>& knobs) {
  const auto reduction = matchReduction(program, nest, buffers);
  if (!reduction) {
    return;
  }
  TextKnob knob = knobFor(outermost, "reduction", "vectorization");
  for (const int width : {256, 128, 512}) {
    knob.values.push_back(
        tiledReduction(program, outermost, *reduction, buffers.at(reduction->sum).type, width));
  }
  knobs.push_back(std::move(knob));
}

void addSums(const TileProgram& program, const std::vector<PythonStatement>& body,
             const Buffers& buffers, std::vector<TextKnob>& knobs) {
  for (const PythonStatement& statement : body) {
    if (const auto nest = nestAt(program, statement)) {
      const std::size_t before = knobs.size();
      addProduct(program, statement, *nest, buffers, knobs);
      addReduction(program, statement, *nest, buffers, knobs);
      if (knobs.size() > before) {
        continue;  // the loops in it belong to the same sum
      }
    }
    addSums(program, statement.body, buffers, knobs);
  }
}

}  // namespace

std::vector<TextKnob> productKnobs(const TileProgram& program) {
  std::vector<TextKnob> knobs;
  for (const PythonStatement* function : program.kernelFunctions()) {
    addSums(program, function->body, program.buffersIn(*function), knobs);
  }
  return knobs;
}

}  // namespace hone::kernel
