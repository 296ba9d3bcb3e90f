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

/// A half-open range of byte offsets in a source.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The parts of a source that decide about one kind of operation, as token indices.
struct Decision {
  model::ReductionKind kind = model::ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  std::string function;  ///< function with the early returns: getMatmulLikeReductionSizes
  /// Body of that function, without the braces.
  std::size_t bodyBegin = 0, bodyEnd = 0;
  /// Code that computes the limit: the chain with its declaration, or the body of the function that
  /// returns it, without the braces.
  std::size_t codeBegin = 0, codeEnd = 0;
  /// Variables used by this code only, and parameters it may use.
  std::vector<std::string> codeOnly;
  /// Conditions of the early returns that test sizes, in order.
  std::vector<TextRange> conditions;
  /// Lines of conditions that start with `false`: an edit by hone that was not reverted.
  std::vector<int> switchedOff;

  [[nodiscard]] std::span<const Token> code(const Source& source) const {
    return std::span(source.tokens).subspan(codeBegin, codeEnd - codeBegin);
  }
};

/// A constant and the location of its value.
struct ConstantLocation {
  NamedConstant constant;
  TextRange value;
};

/// Finds the code and the early returns for a kind. Checks everything that an edit relies on;
/// returns a user error with the line and what was expected there.
[[nodiscard]] Result<Decision> decisionFor(const Source& source, model::ReductionKind kind);

/// Returns a user error if the chain is in a function whose constants have another meaning than in
/// the known form.
[[nodiscard]] Result<void> checkFunction(const Source& source, const Decision& decision);

/// Finds the named constants, in order. Each must occur once in the decision's function as `const
/// int64_t NAME = NUMBER;`.
[[nodiscard]] Result<std::vector<ConstantLocation>> constantsIn(
    const Source& source, const Decision& decision, std::span<const NamedConstant> named);

/// Returns the form of the source, which is the same for both kinds.
[[nodiscard]] Result<SourceForm> detectForm(const Source& source);

/// Parses the source's heuristic for a kind, if it is written the way hone writes it.
[[nodiscard]] Result<Heuristic> heuristicIn(const Source& source, model::ReductionKind kind);

}  // namespace hone::split
