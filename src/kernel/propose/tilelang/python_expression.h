#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// An expression of a Python source, as far as TileLang programs use it.
struct PythonExpr {
  enum class Kind : std::uint8_t {
    number,
    text,     ///< a string literal
    name,     ///< with its members: "T.float16"
    index,    ///< args[0][args[1], …]
    call,     ///< args[0](args[1], …)
    member,   ///< args[0].text, of an expression that is not a name
    keyword,  ///< text=args[0], in a call
    unary,
    binary,
    tuple,  ///< also a list
    slice,  ///< a:b in an index; has no args
  };
  Kind kind = Kind::name;
  std::string text;    ///< name, operator, number or literal
  std::string source;  ///< as it is written
  std::vector<PythonExpr> args;

  /// Returns true for an index into the variable of that name, or any if it is "".
  [[nodiscard]] bool isIndexOf(std::string_view variable = "") const;
  /// Returns the name of the called function; "" if it is not a call of a named function.
  [[nodiscard]] std::string_view callee() const;
  /// Returns true if a name or a part of it, like "T" of "T.copy", occurs in the expression.
  [[nodiscard]] bool mentions(std::string_view name) const;
};

/// Parses an expression; returns nothing if it has other syntax, such as a comparison chain or a
/// lambda.
[[nodiscard]] std::optional<PythonExpr> parsePython(std::string_view text);

/// Returns the expression without `variable` if it is a sum that contains it once: "y * 32" for
/// "i + y * 32" and i, "0" for "i". Returns nothing for other uses of the variable.
[[nodiscard]] std::optional<std::string> offsetFrom(const PythonExpr& sum,
                                                    std::string_view variable);

}  // namespace hone::kernel
