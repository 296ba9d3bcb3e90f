#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/constraints/smt.h"

namespace hone::search {

/// Declarations and assertions of an SMT-LIB text. Equal terms are shared.
struct ParsedConstraints {
  std::vector<Variable> variables;  ///< without bounds
  std::vector<Term> terms;
  std::vector<TermId> assertions;
};

[[nodiscard]] Result<ParsedConstraints> parseSmtLib(std::string_view text);

}  // namespace hone::search
