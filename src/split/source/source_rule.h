#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "split/fit/heuristic.h"
#include "split/source/code_run.h"
#include "split/source/source_function.h"

namespace hone::split {

/// Variable that contains the limit.
inline constexpr std::string_view kLimitName = "limitParallelLoops";

/// The value of a constant of the early returns.
struct ConstantPlace {
  std::int64_t value = 0;  ///< as in EarlyReturns
  /// Number in the source minus `value`: 1 if the source has `<` where EarlyReturns means `<=`.
  std::int64_t offset = 0;
  std::size_t begin = 0, end = 0;  ///< tokens
  bool inCondition = false;        ///< part of a condition, not of a declaration
  std::size_t statement = 0;       ///< first token of the statement that contains it
};

/// An early return that depends on sizes only.
struct ReturnCondition {
  std::size_t begin = 0, end = 0;  ///< tokens of the condition
  std::size_t statement = 0;       ///< first token of the `if`
  bool isKnown = false;            ///< one of those in EarlyReturns; its constants have places
};

/// A constant of the early returns, by its member.
using ReturnConstant = std::int64_t EarlyReturns::*;
inline constexpr std::array<ReturnConstant, 4> kReturnConstants = {
    &EarlyReturns::largeParallel, &EarlyReturns::smallReduction, &EarlyReturns::ratio,
    &EarlyReturns::modestReduction};

/// The code of SetSplitReductionSizes.cpp that decides about one kind of operation. Refers to the
/// source.
struct SourceRule {
  const Source* source = nullptr;
  model::ReductionKind kind = model::ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  Definition sizes;                     ///< function with the early returns
  std::optional<Definition> limit;      ///< function that returns the limit; absent: in `sizes`
  std::vector<std::string> parameters;  ///< of `sizes`
  std::vector<std::string> limitParameters;            ///< of `limit`
  std::shared_ptr<const std::vector<Statement>> body;  ///< of `sizes`
  /// Parsed functions of the source, filled on demand.
  std::shared_ptr<std::map<std::string, std::shared_ptr<const CodeFunction>>> functions;
  /// Statement of `body` that computes the limit: the chain, or the call of `limit`.
  std::size_t decision = 0;
  std::size_t declaration = 0;  ///< statement that declares the limit; for a chain
  std::array<std::optional<ConstantPlace>, kReturnConstants.size()> constants;
  std::vector<ReturnCondition> conditions;
  std::vector<int> disabled;  ///< lines of conditions that start with `false`
  /// Lines of early returns that depend on properties other than known sizes.
  std::vector<int> keptReturns;

  [[nodiscard]] std::string_view function() const { return source->tokens[sizes.name].text; }
};

/// Finds the function with the early returns; returns nullopt if the source has none.
[[nodiscard]] Result<std::optional<Definition>> sizesFunction(const Source& source,
                                                              model::ReductionKind kind);
/// Returns true if the source limits the parts of operations of this kind. Sources before 2025-11
/// do not do so for convolutions, and earlier ones for no kind.
[[nodiscard]] Result<bool> hasLimit(const Source& source, model::ReductionKind kind);

/// Parses the code for a kind of operation. Code that hone does not understand is a user error
/// that names its line and the construct.
[[nodiscard]] Result<SourceRule> readRule(const Source& source, model::ReductionKind kind);

/// Returns the limit that the code gives an operation; nullopt: not split. Early returns in
/// `keptReturns` are not taken.
[[nodiscard]] Result<std::optional<std::int64_t>> limitUnder(const SourceRule& rule,
                                                             const model::Reduction& reduction,
                                                             bool lowParallelism = false);

/// Returns a random operation of the kind; sizes of all magnitudes are equally likely.
[[nodiscard]] model::Reduction randomReduction(Random& random, model::ReductionKind kind);

}  // namespace hone::split
