#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "split/fit/heuristic.h"
#include "split/source/cpp_code.h"
#include "split/source/source.h"

namespace hone::split {

/// A piece of a source: offsets of its first byte and of the one behind it.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where a source decides about the operations of one kind. Indices are of tokens.
struct Decision {
  model::ReductionKind kind = model::ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  std::string function;  ///< that has the early returns: getMatmulLikeReductionSizes
  /// Its body, without the braces.
  std::size_t bodyBegin = 0, bodyEnd = 0;
  /// What gives the limit: the chain with its declaration, or the body of the function that returns
  /// it, without the braces.
  std::size_t codeBegin = 0, codeEnd = 0;
  /// Variables that nothing but this code uses, and parameters that it may use.
  std::vector<std::string> codeOnly;
  /// Of the early returns that judge sizes, in their order.
  std::vector<Piece> conditions;
  /// Lines of those that begin with `false`: a change of hone's own that was not taken back.
  std::vector<int> switchedOff;

  [[nodiscard]] std::span<const Token> code(const Source& source) const {
    return std::span(source.tokens).subspan(codeBegin, codeEnd - codeBegin);
  }
};

/// A constant and where its value stands.
struct ConstantPlace {
  NamedConstant constant;
  Piece value;
};

/// Finds the limit and the early returns of a kind. Everything that an edit relies on is checked;
/// what is otherwise is a user error with the line and with what was expected there.
[[nodiscard]] Result<Decision> decisionFor(const Source& source, model::ReductionKind kind);

/// A chain in a function whose constants mean something else than the form's is a user error.
[[nodiscard]] Result<void> checkFunction(const Source& source, const Decision& decision);

/// The constants with these names, in their order: each `const int64_t NAME = NUMBER;` once in the
/// decision's function.
[[nodiscard]] Result<std::vector<ConstantPlace>> constantsIn(const Source& source,
                                                             const Decision& decision,
                                                             std::span<const NamedConstant> named);

/// The form that the source has; one form for both kinds.
[[nodiscard]] Result<SourceForm> formOf(const Source& source);

/// What the source does with operations of the kind, where it is written as hone writes it.
[[nodiscard]] Result<Heuristic> heuristicIn(const Source& source, model::ReductionKind kind);

}  // namespace hone::split
