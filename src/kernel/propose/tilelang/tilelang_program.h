#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/tilelang/python_expression.h"

namespace hone::kernel {

/// A statement of a Python source: a logical line, which may span several lines, and the block
/// below it.
struct PythonStatement {
  std::size_t begin = 0;     ///< of the first character after the indentation
  std::size_t end = 0;       ///< after the logical line
  std::size_t blockEnd = 0;  ///< after the block below it
  std::size_t indent = 0;
  int line = 0;
  std::string text;  ///< the logical line, with strings, without comments
  std::vector<PythonStatement> body;
};

/// A loop header: for i, j in T.Parallel(64, 32):
struct TileLoop {
  std::vector<std::string> variables;
  std::string kind;  ///< without the module: "Parallel", "serial", "Pipelined", "range", …
  std::vector<PythonExpr> extents;
  std::map<std::string, std::string> keywords;
};

/// A tensor argument, or a buffer allocated in a program.
struct TileBuffer {
  std::string memory;  ///< "global", "shared", "fragment" or "local"
  std::vector<std::string> shape;
  std::string type;  ///< as written: "\"float16\"", "dtype", "T.float16"
};

/// An assignment: target op value, with op one of =, +=, -=, *= and /=.
struct TileAssignment {
  PythonExpr target;
  std::string op;
  PythonExpr value;
};

/// The statements of a TileLang source. Statements and positions refer to the text it was made
/// from.
class TileProgram {
 public:
  explicit TileProgram(std::string_view text);

  [[nodiscard]] const std::vector<PythonStatement>& statements() const { return statements_; }
  /// Returns the name of TileLang's language module with a dot: "T.".
  [[nodiscard]] const std::string& module() const { return module_; }
  /// Returns the parts of a loop header; nothing for other statements.
  [[nodiscard]] std::optional<TileLoop> loop(const PythonStatement& statement) const;
  /// Returns the parts of an assignment; nothing for other statements.
  [[nodiscard]] std::optional<TileAssignment> assignment(const PythonStatement& statement) const;
  /// Returns the parsed call if the statement calls this function of the language module.
  [[nodiscard]] std::optional<PythonExpr> findCall(const PythonStatement& statement,
                                                   std::string_view function) const;
  /// Returns the function of the language module that an expression calls: "copy"; "" if none.
  [[nodiscard]] std::string_view calledFunction(const PythonExpr& expression) const;
  /// Returns the buffers that a function names, with those of the functions around it.
  [[nodiscard]] std::map<std::string, TileBuffer> buffersIn(const PythonStatement& function) const;
  /// Returns the element type: the literal that a name stands for, without quotes and module.
  [[nodiscard]] std::string resolveType(const std::string& type) const;
  /// Returns a name that the text does not contain: `base`, with a number if necessary.
  [[nodiscard]] std::string freshName(std::string_view base) const;
  /// Returns the functions that contain a `with T.Kernel(…)` block outside of nested functions.
  [[nodiscard]] std::vector<const PythonStatement*> kernelFunctions() const;

 private:
  std::string text_;
  std::vector<PythonStatement> statements_;
  std::string module_;
};

/// Replaces comments and strings by blanks; all other characters keep their positions.
[[nodiscard]] std::string blankComments(std::string_view text);

}  // namespace hone::kernel
