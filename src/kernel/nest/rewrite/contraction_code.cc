#include "kernel/nest/rewrite/contraction_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/nest/nest_printer.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/rewrite/vector_code.h"

namespace hone::kernel::nest {
namespace {

/// Collects indented lines of code.
class Lines {
 public:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    out_.push_back(text.starts_with('#')
                       ? text
                       : std::string(static_cast<std::size_t>(depth_) * 2, ' ') + text);
  }
  template <typename... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    add("{} {{", fmt::format(format, std::forward<Args>(args)...));
    ++depth_;
  }
  void openScope() {
    add("{{");
    ++depth_;
  }
  void close() {
    --depth_;
    add("}}");
  }
  void otherwise() {
    --depth_;
    add("}} else {{");
    ++depth_;
  }
  void unrolled(std::int64_t times) {
    if (times > 1) {
      add("#pragma GCC unroll {}", times);
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(out_); }

 private:
  std::vector<std::string> out_;
  int depth_ = 0;
};

/// Generates the code of a tiled contraction.
class TileWriter {
 public:
  TileWriter(Function& function, const Contraction& c, const TileShape& shape)
      : function_(function), c_(c), shape_(shape), row_(c.row.name), column_(c.column.name) {}

  std::optional<std::vector<std::string>> write() {
    if (shape_.pack ? c_.sum.reduced.size() != 1 : !c_.rightInOrder) {
      return std::nullopt;
    }
    threaded_ =
        std::ranges::any_of(c_.sum.parallel, [](const Stmt& loop) { return !loop.lines.empty(); });
    chooseNames();
    ensureVectors(function_, shape_.width);
    VectorCode code(function_, column_, {c_.sum.scalar});
    const auto init =
        c_.sum.accumulatesInTarget ? std::optional(name("unused")) : code.vector(c_.sum.init);
    const auto stored = code.vector(c_.sum.stored);
    if (!init || !stored) {
      return std::nullopt;
    }
    init_ = *init;
    stored_ = *stored;
    out_.openScope();
    if (shape_.pack) {
      writePacked();
    } else {
      writeDirect();
    }
    out_.close();
    return out_.take();
  }

 private:
  /// Chooses names that do not occur in the kernel.
  void chooseNames() {
    rowEnd_ = freshName(function_, row_ + "End");
    columnEnd_ = freshName(function_, column_ + "End");
    wide_ = freshName(function_, column_ + "Wide");
    rowBlock_ = freshName(function_, row_ + "Block");
    depthBlock_ = freshName(function_, c_.sum.reduced[0].name + "Block");
    depthEnd_ = freshName(function_, c_.sum.reduced[0].name + "End");
    tile_ = freshName(function_, "tile");
    left_ = freshName(function_, "left");
    right_ = freshName(function_, "right");
    r_ = freshName(function_, "r");
    v_ = freshName(function_, "v");
    lane_ = freshName(function_, "lane");
    panel_ = freshName(function_, "panel");
    edge_ = freshName(function_, "edge");
    width_ = freshName(function_, "width");
    vector_ = fmt::format("{} * kWidth", v_);
  }

  [[nodiscard]] std::int64_t across() const { return shape_.vectors * shape_.width; }

  /// Returns the expression with the steps added to row and column.
  [[nodiscard]] std::string at(Expr e, const std::string& rowStep,
                               const std::string& columnStep) const {
    if (!rowStep.empty()) {
      substitute(e, row_, binary("+", name(row_), name(rowStep)));
    }
    if (!columnStep.empty()) {
      substitute(e, column_, binary("+", name(column_), name(columnStep)));
    }
    return print(e);
  }

  void openLoop(const Stmt& loop) {
    out_.open("for ({} {} = {}; {} < {}; ++{})", loop.type, loop.name, print(loop.from), loop.name,
              print(loop.to), loop.name);
  }

  void parallelPragma() {
    if (threaded_) {
      out_.add("#pragma omp parallel for");
      threaded_ = false;
    }
  }

  /// Reads the right-hand side in place and computes whole sums in registers.
  void writeDirect() {
    for (const Stmt& loop : c_.others) {
      parallelPragma();
      openLoop(loop);
    }
    const std::string& type = c_.column.type;
    const std::string from = print(c_.column.from);
    out_.add("const {} {} = {};", type, columnEnd_, print(c_.column.to));
    out_.add("const {} {} = {};", c_.row.type, rowEnd_, print(c_.row.to));
    out_.add("const {} {} = {} + ({} - {}) / {} * {};", type, wide_, from, columnEnd_, from,
             across(), across());
    parallelPragma();
    out_.open("for ({} {} = {}; {} < {}; {} += {})", type, column_, from, column_, wide_, column_,
              across());
    writeRows(shape_.vectors, TileKind::full);
    out_.close();
    out_.add("{} {} = {};", type, column_, wide_);
    if (shape_.vectors > 1) {
      out_.open("for (; {} + kWidth <= {}; {} += kWidth)", column_, columnEnd_, column_);
      writeRows(1, TileKind::full);
      out_.close();
    }
    out_.open("for (; {} < {}; ++{})", column_, columnEnd_, column_);
    openLoop(c_.row);
    writeElement();
    out_.close();
    out_.close();
    for (std::size_t i = 0; i < c_.others.size(); ++i) {
      out_.close();
    }
  }

  /// Computes one element, for the columns that do not fill a vector.
  void writeElement() {
    const std::string& sum = c_.sum.scalar;
    const Expr init =
        c_.sum.accumulatesInTarget ? c_.sum.target : scalarCode(function_, c_.sum.init);
    out_.add("float {} = {};", sum, print(init));
    for (const Stmt& loop : c_.sum.reduced) {
      openLoop(loop);
    }
    out_.add("{} += {} * {};", sum, print(c_.left), print(c_.right));
    for (std::size_t i = 0; i < c_.sum.reduced.size(); ++i) {
      out_.close();
    }
    out_.add("{} = {};", print(c_.sum.target), print(scalarCode(function_, c_.sum.stored)));
  }

  /// A full tile is stored directly; an edge tile has fewer columns and is stored by elements.
  enum class TileKind : std::uint8_t { full, edge };

  void writeRows(std::int64_t vectors, TileKind kind) {
    const bool blocks = shape_.pack && shape_.rowBlock > 0;
    out_.add("{} {} = {};", c_.row.type, row_, blocks ? rowBlock_ : print(c_.row.from));
    out_.open("for (; {} + {} <= {}; {} += {})", row_, shape_.rows, rowEnd_, row_, shape_.rows);
    writeTile(shape_.rows, vectors, kind);
    out_.close();
    if (shape_.rows > 1) {
      out_.open("for (; {} < {}; ++{})", row_, rowEnd_, row_);
      writeTile(1, vectors, kind);
      out_.close();
    }
  }

  void openUnrolled(const std::string& variable, std::int64_t times) {
    out_.unrolled(times);
    out_.open("for (std::int64_t {} = 0; {} < {}; ++{})", variable, variable, times, variable);
  }
  void closeBoth() {
    out_.close();
    out_.close();
  }

  void writeTile(std::int64_t rows, std::int64_t vectors, TileKind kind) {
    out_.add("Vector {}[{}][{}];", tile_, rows, vectors);
    if (shape_.prefetch && kind == TileKind::full) {
      openUnrolled(r_, rows);
      out_.add("__builtin_prefetch(&{}, 1);", at(c_.sum.target, r_, ""));
      out_.close();
    }
    beginTile(rows, vectors, kind);
    multiply(rows, vectors);
    endTile(rows, vectors, kind);
  }

  [[nodiscard]] std::string isFirst() const {
    return fmt::format("{} == {}", depthBlock_, print(c_.sum.reduced[0].from));
  }
  [[nodiscard]] std::string isLast() const {
    return fmt::format("{} == {}", depthEnd_, print(c_.sum.reduced[0].to));
  }

  /// Opens loops over the existing elements of an edge tile. They are not unrolled, because there
  /// are many elements and edge tiles are rare.
  void openEdge(std::int64_t rows) {
    out_.open("for (std::int64_t {} = 0; {} < {}; ++{})", r_, r_, rows, r_);
    out_.open("for (std::int64_t {} = 0; {} < {}; ++{})", lane_, lane_, width_, lane_);
  }
  [[nodiscard]] std::string edgeVector() const {
    return fmt::format("&{}[{} * {} + {}]", edge_, r_, across(), vector_);
  }

  void beginTile(std::int64_t rows, std::int64_t vectors, TileKind kind) {
    if (kind == TileKind::edge) {
      const std::string old = at(c_.sum.target, r_, lane_);
      out_.add("alignas(64) float {}[{}] = {{}};", edge_, rows * across());
      openEdge(rows);
      out_.add("{}[{} * {} + {}] = {};", edge_, r_, across(), lane_,
               c_.sum.accumulatesInTarget
                   ? old
                   : fmt::format("{} ? {} : {}", isFirst(), at(c_.sum.init, r_, lane_), old));
      closeBoth();
    }
    const std::string old = kind == TileKind::edge
                                ? fmt::format("load({})", edgeVector())
                                : fmt::format("load(&{})", at(c_.sum.target, r_, vector_));
    openUnrolled(r_, rows);
    openUnrolled(v_, vectors);
    const bool fromInit = !c_.sum.accumulatesInTarget && kind == TileKind::full;
    const std::string init = fromInit ? at(init_, r_, vector_) : old;
    out_.add("{}[{}][{}] = {};", tile_, r_, v_,
             fromInit && shape_.pack ? fmt::format("{} ? {} : {}", isFirst(), init, old) : init);
    closeBoth();
  }

  void multiply(std::int64_t rows, std::int64_t vectors) {
    const Stmt& inner = c_.sum.reduced.back();
    if (shape_.pack) {
      out_.unrolled(shape_.unroll);
      openDepth();
    } else {
      for (const Stmt& loop : c_.sum.reduced) {
        if (&loop == &inner) {
          out_.unrolled(shape_.unroll);
        }
        openLoop(loop);
      }
    }
    out_.add("Vector {}[{}];", right_, vectors);
    openUnrolled(v_, vectors);
    if (shape_.pack) {
      out_.add("{}[{}] = load(&{}[({} - {}) * {} + {}]);", right_, v_, panel_, inner.name,
               depthBlock_, across(), vector_);
    } else {
      out_.add("{}[{}] = load(&{});", right_, v_, at(c_.right, "", vector_));
    }
    out_.close();
    openUnrolled(r_, rows);
    out_.add("const float {} = {};", left_, at(c_.left, r_, ""));
    openUnrolled(v_, vectors);
    out_.add("{}[{}][{}] += {} * {}[{}];", tile_, r_, v_, left_, right_, v_);
    closeBoth();
    for (std::size_t i = 0; i < c_.sum.reduced.size(); ++i) {
      out_.close();
    }
  }

  void openDepth() {
    const Stmt& k = c_.sum.reduced[0];
    out_.open("for ({} {} = {}; {} < {}; ++{})", k.type, k.name, depthBlock_, k.name, depthEnd_,
              k.name);
  }

  void endTile(std::int64_t rows, std::int64_t vectors, TileKind kind) {
    const std::string& sum = c_.sum.scalar;
    const bool partly = shape_.pack && !c_.sum.storesPlainSum();
    openUnrolled(r_, rows);
    openUnrolled(v_, vectors);
    if (kind == TileKind::edge) {
      out_.add("store({}, {}[{}][{}]);", edgeVector(), tile_, r_, v_);
    } else {
      out_.add("const Vector {} = {}[{}][{}];", sum, tile_, r_, v_);
      const std::string stored = c_.sum.storesPlainSum() ? sum : at(stored_, r_, vector_);
      out_.add("store(&{}, {});", at(c_.sum.target, r_, vector_),
               partly ? fmt::format("{} ? {} : {}", isLast(), stored, sum) : stored);
    }
    closeBoth();
    if (kind == TileKind::edge) {
      openEdge(rows);
      out_.add("const float {} = {}[{} * {} + {}];", sum, edge_, r_, across(), lane_);
      const std::string stored = at(scalarCode(function_, c_.sum.stored), r_, lane_);
      out_.add("{} = {};", at(c_.sum.target, r_, lane_),
               partly ? fmt::format("{} ? {} : {}", isLast(), stored, sum) : stored);
      closeBoth();
    }
  }

  /// Copies a panel of the right-hand side, `depth` deep and as wide as a tile, and uses it for all
  /// rows before packing the next one.
  void writePacked() {
    for (const Stmt& loop : batchLoops()) {
      parallelPragma();
      openLoop(loop);
    }
    const Stmt& k = c_.sum.reduced[0];
    const std::string& type = c_.column.type;
    out_.open("for ({} {} = {}; {} < {}; {} += {})", k.type, depthBlock_, print(k.from),
              depthBlock_, print(k.to), depthBlock_, shape_.depth);
    out_.add("const {} {} = std::min<{}>({} + {}, {});", k.type, depthEnd_, k.type, depthBlock_,
             shape_.depth, print(k.to));
    if (shape_.rowBlock > 0) {
      out_.open("for ({} {} = {}; {} < {}; {} += {})", c_.row.type, rowBlock_, print(c_.row.from),
                rowBlock_, print(c_.row.to), rowBlock_, shape_.rowBlock);
      out_.add("const {} {} = std::min<{}>({} + {}, {});", c_.row.type, rowEnd_, c_.row.type,
               rowBlock_, shape_.rowBlock, print(c_.row.to));
    } else {
      out_.add("const {} {} = {};", c_.row.type, rowEnd_, print(c_.row.to));
    }
    parallelPragma();
    out_.open("for ({} {} = {}; {} < {}; {} += {})", type, column_, print(c_.column.from), column_,
              print(c_.column.to), column_, across());
    out_.add("const {} {} = std::min<{}>({}, {} - {});", type, width_, type, across(),
             print(c_.column.to), column_);
    packPanel();
    for (const Stmt& loop : panelReuseLoops()) {
      openLoop(loop);
    }
    out_.open("if ({} == {})", width_, across());
    writeRows(shape_.vectors, TileKind::full);
    out_.otherwise();
    writeRows(shape_.vectors, TileKind::edge);
    out_.close();
    const std::size_t loops =
        batchLoops().size() + panelReuseLoops().size() + (shape_.rowBlock > 0 ? 3 : 2);
    for (std::size_t i = 0; i < loops; ++i) {
      out_.close();
    }
  }

  void packPanel() {
    const Stmt& k = c_.sum.reduced[0];
    out_.add("alignas(64) float {}[{}];", panel_, shape_.depth * across());
    const auto openPanelLanes = [&] {
      out_.open("for (std::int64_t {} = 0; {} < {}; ++{})", lane_, lane_, across(), lane_);
    };
    if (c_.rightInOrder) {
      openDepth();
      openPanelLanes();
    } else {
      openPanelLanes();
      openDepth();
    }
    out_.add("{}[({} - {}) * {} + {}] = {} < {} ? {} : 0.0f;", panel_, k.name, depthBlock_,
             across(), lane_, lane_, width_, at(c_.right, "", lane_));
    closeBoth();
  }

  /// Returns the other parallel loops that the right-hand side depends on; they enclose everything.
  [[nodiscard]] std::vector<Stmt> batchLoops() const { return otherLoops(true); }
  /// Returns the other parallel loops that reuse a panel.
  [[nodiscard]] std::vector<Stmt> panelReuseLoops() const { return otherLoops(false); }
  [[nodiscard]] std::vector<Stmt> otherLoops(bool inRight) const {
    std::vector<Stmt> result;
    std::ranges::copy_if(c_.others, std::back_inserter(result), [&](const Stmt& loop) {
      return namesIn(c_.right.args[0]).contains(loop.name) == inRight;
    });
    return result;
  }

  Function& function_;
  const Contraction& c_;
  const TileShape& shape_;
  std::string row_;
  std::string column_;
  std::string rowEnd_;
  std::string columnEnd_;
  std::string wide_;
  std::string rowBlock_;
  std::string depthBlock_;
  std::string depthEnd_;
  std::string tile_;
  std::string left_;
  std::string right_;
  std::string r_;
  std::string v_;
  std::string lane_;
  std::string panel_;
  std::string edge_;
  std::string width_;
  std::string vector_;  ///< offset of a vector from the tile's first column
  Expr init_;
  Expr stored_;
  bool threaded_ = false;
  Lines out_;
};

}  // namespace

std::optional<std::vector<std::string>> contractionCode(Function& function,
                                                        const Contraction& contraction,
                                                        const TileShape& shape) {
  const std::vector<std::string> helpers = function.helpers;
  auto lines = TileWriter(function, contraction, shape).write();
  if (!lines) {
    function.helpers = helpers;
  }
  return lines;
}

}  // namespace hone::kernel::nest
