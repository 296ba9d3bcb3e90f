#include "kernel/contraction_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/nest_walk.h"
#include "kernel/vector_code.h"

namespace hone::kernel::nest {
namespace {

/// Lines with their depth of nesting.
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

class Writer {
 public:
  Writer(Function& function, const Contraction& c, const TileShape& shape)
      : function_(function), c_(c), shape_(shape), row_(c.row.name), column_(c.column.name) {
    threaded_ = std::ranges::any_of(c.sum.parallel, [](const Stmt& l) { return !l.lines.empty(); });
    rowEnd_ = freshName(function, row_ + "End");
    columnEnd_ = freshName(function, column_ + "End");
  }

  std::optional<std::vector<std::string>> write() {
    if (shape_.pack ? c_.sum.reduced.size() != 1 : !c_.rightInOrder) {
      return std::nullopt;
    }
    needVectors(function_, shape_.width);
    VectorCode code(function_, column_, {c_.sum.scalar});
    const auto init = c_.sum.goesOn ? std::optional(name("unused")) : code.vector(c_.sum.init);
    const auto stored = code.vector(c_.sum.stored);
    if (!init || !stored) {
      return std::nullopt;
    }
    init_ = *init;
    stored_ = *stored;
    out_.openScope();
    if (shape_.pack) {
      packed();
    } else {
      direct();
    }
    out_.close();
    return out_.take();
  }

 private:
  [[nodiscard]] std::int64_t across() const { return shape_.vectors * shape_.width; }

  /// The expression with row and column moved on by so much.
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

  /// Reads the right-hand side in place; the whole sum is made in registers.
  void direct() {
    for (const Stmt& loop : c_.others) {
      parallelPragma();
      openLoop(loop);
    }
    const std::string type = c_.column.type;
    const std::string to = print(c_.column.to);
    const std::string from = print(c_.column.from);
    out_.add("const {} {} = {};", type, columnEnd_, to);
    out_.add("const {} {} = {};", type, rowEnd_, print(c_.row.to));
    const std::string wide = fmt::format("{} + ({} - {}) / {} * {}", from, columnEnd_, from,
                                         across(), across());
    out_.add("const {} {}Wide = {};", type, column_, wide);
    parallelPragma();
    out_.open("for ({} {} = {}; {} < {}Wide; {} += {})", type, column_, from, column_, column_,
              column_, across());
    rows(shape_.vectors, Where::place);
    out_.close();
    out_.add("{} {} = {}Wide;", type, column_, column_);
    if (shape_.vectors > 1) {
      out_.open("for (; {} + kWidth <= {}; {} += kWidth)", column_, columnEnd_, column_);
      rows(1, Where::place);
      out_.close();
    }
    out_.open("for (; {} < {}; ++{})", column_, columnEnd_, column_);
    openLoop(c_.row);
    oneByOne();
    out_.close();
    out_.close();
    for (std::size_t i = 0; i < c_.others.size(); ++i) {
      out_.close();
    }
  }

  /// One element, for columns that are too few for a vector.
  void oneByOne() {
    const std::string& sum = c_.sum.scalar;
    Expr init = c_.sum.goesOn ? c_.sum.target : scalarCode(function_, c_.sum.init);
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

  /// Where a tile's sums go: to their place, or to a buffer when columns are missing.
  enum class Where : std::uint8_t { place, edge };

  void rows(std::int64_t vectors, Where where) {
    out_.add("{} {} = {};", c_.row.type, row_, rowFrom());
    out_.open("for (; {} + {} <= {}; {} += {})", row_, shape_.rows, rowEnd_, row_, shape_.rows);
    tile(shape_.rows, vectors, where);
    out_.close();
    if (shape_.rows > 1) {
      out_.open("for (; {} < {}; ++{})", row_, rowEnd_, row_);
      tile(1, vectors, where);
      out_.close();
    }
  }

  [[nodiscard]] std::string rowFrom() const {
    return shape_.pack && shape_.rowBlock > 0 ? row_ + "Block" : print(c_.row.from);
  }

  void eachOfTile(std::int64_t rows, std::int64_t vectors) {
    out_.unrolled(rows);
    out_.open("for (std::int64_t r = 0; r < {}; ++r)", rows);
    out_.unrolled(vectors);
    out_.open("for (std::int64_t v = 0; v < {}; ++v)", vectors);
  }
  void closeBoth() {
    out_.close();
    out_.close();
  }

  void tile(std::int64_t rows, std::int64_t vectors, Where where) {
    out_.add("Vector c[{}][{}];", rows, vectors);
    if (shape_.prefetch && where == Where::place) {
      out_.unrolled(rows);
      out_.open("for (std::int64_t r = 0; r < {}; ++r)", rows);
      out_.add("__builtin_prefetch(&{}, 1);", at(c_.sum.target, "r", ""));
      out_.close();
    }
    beginTile(rows, vectors, where);
    multiply(rows, vectors);
    endTile(rows, vectors, where);
  }

  [[nodiscard]] std::string isFirst() const {
    return fmt::format("{}Block == {}", c_.sum.reduced[0].name, print(c_.sum.reduced[0].from));
  }
  [[nodiscard]] std::string isLast() const {
    return fmt::format("{}End == {}", c_.sum.reduced[0].name, print(c_.sum.reduced[0].to));
  }

  void beginTile(std::int64_t rows, std::int64_t vectors, Where where) {
    const std::string init = c_.sum.goesOn ? "" : at(init_, "r", "v * kWidth");
    const std::string there = where == Where::place
                                  ? fmt::format("load(&{})", at(c_.sum.target, "r", "v * kWidth"))
                                  : "load(&edge[v * kWidth])";
    eachOfTile(rows, vectors);
    if (where == Where::edge) {
      // Of the edge only the columns that are there may be touched.
      out_.add("alignas(64) float edge[kWidth] = {{}};");
      out_.open("for (std::int64_t x = 0; x < kWidth && v * kWidth + x < width; ++x)");
      const std::string old = at(c_.sum.target, "r", "v * kWidth + x");
      out_.add("edge[x] = {};", c_.sum.goesOn ? old
                                              : fmt::format("{} ? {} : {}", isFirst(),
                                                            at(c_.sum.init, "r", "v * kWidth + x"),
                                                            old));
      out_.close();
      out_.add("c[r][v] = load(edge);");
    } else if (c_.sum.goesOn) {
      out_.add("c[r][v] = {};", there);
    } else if (shape_.pack) {
      out_.add("c[r][v] = {} ? {} : {};", isFirst(), init, there);
    } else {
      out_.add("c[r][v] = {};", init);
    }
    closeBoth();
  }

  void multiply(std::int64_t rows, std::int64_t vectors) {
    if (shape_.pack) {
      const std::string& k = c_.sum.reduced[0].name;
      out_.unrolled(shape_.unroll);
      out_.open("for ({} {} = {}Block; {} < {}End; ++{})", c_.sum.reduced[0].type, k, k, k, k, k);
    } else {
      for (const Stmt& loop : c_.sum.reduced) {
        if (&loop == &c_.sum.reduced.back()) {
          out_.unrolled(shape_.unroll);
        }
        openLoop(loop);
      }
    }
    out_.add("Vector b[{}];", vectors);
    out_.unrolled(vectors);
    out_.open("for (std::int64_t v = 0; v < {}; ++v)", vectors);
    if (shape_.pack) {
      const std::string& k = c_.sum.reduced[0].name;
      out_.add("b[v] = load(&panel[({} - {}Block) * {} + v * kWidth]);", k, k, across());
    } else {
      out_.add("b[v] = load(&{});", at(c_.right, "", "v * kWidth"));
    }
    out_.close();
    out_.unrolled(rows);
    out_.open("for (std::int64_t r = 0; r < {}; ++r)", rows);
    out_.add("const float a = {};", at(c_.left, "r", ""));
    out_.unrolled(vectors);
    out_.open("for (std::int64_t v = 0; v < {}; ++v)", vectors);
    out_.add("c[r][v] += a * b[v];");
    closeBoth();
    for (std::size_t i = 0; i < c_.sum.reduced.size(); ++i) {
      out_.close();
    }
  }

  void endTile(std::int64_t rows, std::int64_t vectors, Where where) {
    eachOfTile(rows, vectors);
    const std::string& sum = c_.sum.scalar;
    if (where == Where::edge) {
      out_.open("for (std::int64_t x = 0; x < kWidth && v * kWidth + x < width; ++x)");
      out_.add("const float {} = c[r][v][x];", sum);
      const std::string target = at(c_.sum.target, "r", "v * kWidth + x");
      const std::string stored =
          at(scalarCode(function_, c_.sum.stored), "r", "v * kWidth + x");
      out_.add("{} = {};", target,
               c_.sum.plain() ? stored : fmt::format("{} ? {} : {}", isLast(), stored, sum));
      out_.close();
    } else {
      const std::string target = at(c_.sum.target, "r", "v * kWidth");
      if (c_.sum.plain()) {
        out_.add("store(&{}, c[r][v]);", target);
      } else {
        out_.add("const Vector {} = c[r][v];", sum);
        const std::string stored = at(stored_, "r", "v * kWidth");
        out_.add("store(&{}, {});", target,
                 shape_.pack ? fmt::format("{} ? {} : {}", isLast(), stored, sum) : stored);
      }
    }
    closeBoth();
  }

  void packed() {
    for (const Stmt& loop : batch()) {
      parallelPragma();
      openLoop(loop);
    }
    const Stmt& k = c_.sum.reduced[0];
    const std::string type = c_.column.type;
    out_.open("for ({} {}Block = {}; {}Block < {}; {}Block += {})", k.type, k.name, print(k.from),
              k.name, print(k.to), k.name, shape_.depth);
    out_.add("const {} {}End = std::min<{}>({}Block + {}, {});", k.type, k.name, k.type, k.name,
             shape_.depth, print(k.to));
    if (shape_.rowBlock > 0) {
      out_.open("for ({} {}Block = {}; {}Block < {}; {}Block += {})", c_.row.type, row_,
                print(c_.row.from), row_, print(c_.row.to), row_, shape_.rowBlock);
      out_.add("const {} {} = std::min<{}>({}Block + {}, {});", c_.row.type, rowEnd_, c_.row.type,
               row_, shape_.rowBlock, print(c_.row.to));
    } else {
      out_.add("const {} {} = {};", c_.row.type, rowEnd_, print(c_.row.to));
    }
    parallelPragma();
    out_.open("for ({} {} = {}; {} < {}; {} += {})", type, column_, print(c_.column.from), column_,
              print(c_.column.to), column_, across());
    out_.add("const {} width = std::min<{}>({}, {} - {});", type, type, across(),
             print(c_.column.to), column_);
    packPanel();
    for (const Stmt& loop : furtherRows()) {
      openLoop(loop);
    }
    out_.open("if (width == {})", across());
    rows(shape_.vectors, Where::place);
    out_.close();
    out_.open("else");
    rows(shape_.vectors, Where::edge);
    out_.close();
    const std::size_t loops = batch().size() + furtherRows().size() + 2 +
                              (shape_.rowBlock > 0 ? 1 : 0);
    for (std::size_t i = 0; i < loops; ++i) {
      out_.close();
    }
  }

  void packPanel() {
    const Stmt& k = c_.sum.reduced[0];
    out_.add("alignas(64) float panel[{}];", shape_.depth * across());
    const std::string row = fmt::format("panel[({} - {}Block) * {} + ", k.name, k.name, across());
    if (c_.rightInOrder) {
      out_.open("for ({} {} = {}Block; {} < {}End; ++{})", k.type, k.name, k.name, k.name, k.name,
                k.name);
      out_.open("for (std::int64_t x = 0; x < {}; ++x)", across());
    } else {
      out_.open("for (std::int64_t x = 0; x < {}; ++x)", across());
      out_.open("for ({} {} = {}Block; {} < {}End; ++{})", k.type, k.name, k.name, k.name, k.name,
                k.name);
    }
    out_.add("{}x] = x < width ? {} : 0.0f;", row, at(c_.right, "", "x"));
    closeBoth();
  }

  /// Other parallel loops that the right-hand side changes with, around all.
  [[nodiscard]] std::vector<Stmt> batch() const { return otherLoops(true); }
  /// Those that it does not change with: they use a panel again.
  [[nodiscard]] std::vector<Stmt> furtherRows() const { return otherLoops(false); }
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
  const std::string before = function.before;
  auto lines = Writer(function, contraction, shape).write();
  if (!lines) {
    function.helpers = helpers;
    function.before = before;
  }
  return lines;
}

}  // namespace hone::kernel::nest
