#include "search/constraints/smt_parser.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/text/text.h"
#include "search/constraints/s_expression.h"

namespace hone::search {
namespace {

template <typename... Args>
std::unexpected<Error> errorAt(const Expression& at, fmt::format_string<Args...> format,
                               Args&&... args) {
  return userError("line {}: {}", at.line, fmt::format(format, std::forward<Args>(args)...));
}

/// An SMT-LIB function whose operands all have the same sort.
struct Function {
  std::string_view name;
  TermKind kind;
  bool ofBools;
  bool isBool;
  std::size_t minOperands;
  std::size_t maxOperands;
  enum class Form : std::uint8_t {
    plain,  ///< one term with all operands
    chain,  ///< holds for each pair of adjacent operands
    fold,   ///< left-associative, two operands at a time
  } form = Form::plain;
  bool swapped = false;
};

constexpr std::size_t kUnlimited = 1'000'000;
using Form = Function::Form;

constexpr std::array kFunctions = {
    Function{"+", TermKind::add, false, false, 1, kUnlimited},
    Function{"*", TermKind::multiply, false, false, 1, kUnlimited},
    Function{"-", TermKind::subtract, false, false, 2, kUnlimited, Form::fold},
    Function{"div", TermKind::divide, false, false, 2, kUnlimited, Form::fold},
    Function{"mod", TermKind::modulo, false, false, 2, 2},
    Function{"abs", TermKind::absolute, false, false, 1, 1},
    Function{"<", TermKind::less, false, true, 2, kUnlimited, Form::chain},
    Function{"<=", TermKind::lessEqual, false, true, 2, kUnlimited, Form::chain},
    Function{">", TermKind::less, false, true, 2, kUnlimited, Form::chain, true},
    Function{">=", TermKind::lessEqual, false, true, 2, kUnlimited, Form::chain, true},
    Function{"not", TermKind::logicalNot, true, true, 1, 1},
    Function{"and", TermKind::logicalAnd, true, true, 1, kUnlimited},
    Function{"or", TermKind::logicalOr, true, true, 1, kUnlimited},
};

class Builder {
 public:
  Result<void> command(const Expression& at) {
    if (!at.isList || at.items.empty()) {
      return errorAt(at, "expected a command");
    }
    const std::string_view name = at.items[0].word;
    if (name == "assert" && at.items.size() == 2) {
      const TermId term = HONE_TRY(build(at.items[1]));
      if (!parsed_.terms[term].isBool) {
        return errorAt(at, "expected an assertion of sort Bool");
      }
      parsed_.assertions.push_back(term);
      return {};
    }
    if (name == "declare-const" && at.items.size() == 3) {
      return declare(at.items[1], at.items[2]);
    }
    if (name == "declare-fun" && at.items.size() == 4 && at.items[2].isList &&
        at.items[2].items.empty()) {
      return declare(at.items[1], at.items[3]);
    }
    constexpr std::array<std::string_view, 6> kNothingToDo = {"set-logic", "set-option", "set-info",
                                                              "check-sat", "get-model",  "exit"};
    if (std::find(kNothingToDo.begin(), kNothingToDo.end(), name) == kNothingToDo.end()) {
      return errorAt(at, "unsupported '{}'", name);
    }
    return {};
  }

  ParsedConstraints take() { return std::move(parsed_); }

 private:
  Result<void> declare(const Expression& name, const Expression& sort) {
    if (sort.word != "Int" && sort.word != "Bool") {
      return errorAt(sort, "'{}': expected sort Int or Bool", name.word);
    }
    const bool isBool = sort.word == "Bool";
    const auto number = static_cast<std::int64_t>(parsed_.variables.size());
    parsed_.variables.emplace_back().name = name.word;
    parsed_.variables.back().isBool = isBool;
    std::vector<TermId>& meanings = names_[name.word];
    if (!meanings.empty()) {
      return errorAt(name, "duplicate declaration of '{}'", name.word);
    }
    meanings.push_back(make({TermKind::variable, isBool, number}));
    return {};
  }

  TermId make(Term term) {
    const auto [at, isNew] = known_.emplace(term, static_cast<TermId>(parsed_.terms.size()));
    if (isNew) {
      parsed_.terms.push_back(std::move(term));
    }
    return at->second;
  }

  Result<TermId> build(const Expression& at) {
    if (!at.isList) {
      return word(at);
    }
    if (at.items.empty() || at.items[0].isList) {
      return errorAt(at, "expected a function");
    }
    const std::string_view head = at.items[0].word;
    if (head == "let" && at.items.size() == 3) {
      return let(at);
    }
    if (at.items.size() == 1) {
      return word(at.items[0]);  // "(x)" is how the compiler calls a function without arguments
    }
    if (head == "!") {
      return build(at.items[1]);  // the rest are attributes
    }
    std::vector<TermId> operands;
    for (std::size_t i = 1; i < at.items.size(); ++i) {
      operands.push_back(HONE_TRY(build(at.items[i])));
    }
    return apply(at, head, std::move(operands));
  }

  Result<TermId> word(const Expression& at) {
    if (const auto found = names_.find(at.word); found != names_.end() && !found->second.empty()) {
      return found->second.back();
    }
    if (at.word == "true" || at.word == "false") {
      return make({TermKind::constant, true, at.word == "true" ? 1 : 0});
    }
    if (const auto number = parseInt(at.word)) {
      return make({TermKind::constant, false, *number});
    }
    return errorAt(at, "undeclared '{}'", at.word);
  }

  Result<TermId> let(const Expression& at) {
    std::vector<std::pair<std::string_view, TermId>> bound;
    for (const Expression& binding : at.items[1].items) {
      if (!binding.isList || binding.items.size() != 2 || binding.items[0].isList) {
        return errorAt(binding, "expected a binding of a name to a term");
      }
      bound.emplace_back(binding.items[0].word, HONE_TRY(build(binding.items[1])));
    }
    for (const auto& [name, term] : bound) {
      names_[name].push_back(term);
    }
    auto body = build(at.items[2]);
    for (const auto& [name, term] : bound) {
      names_[name].pop_back();
    }
    return body;
  }

  [[nodiscard]] bool allAre(bool ofBools, const std::vector<TermId>& operands) const {
    return std::all_of(operands.begin(), operands.end(),
                       [&](TermId term) { return parsed_.terms[term].isBool == ofBools; });
  }
  TermId negation(TermId term) { return make({TermKind::logicalNot, true, 0, {term}}); }
  TermId all(std::vector<TermId> terms) {
    return terms.size() == 1 ? terms[0] : make({TermKind::logicalAnd, true, 0, std::move(terms)});
  }

  Result<TermId> apply(const Expression& at, std::string_view name, std::vector<TermId> operands) {
    const auto mismatch = [&] { return errorAt(at, "invalid operands of '{}'", name); };
    if (name == "ite" && operands.size() == 3) {
      const bool isBool = parsed_.terms[operands[1]].isBool;
      if (!parsed_.terms[operands[0]].isBool || parsed_.terms[operands[2]].isBool != isBool) {
        return mismatch();
      }
      return make({TermKind::choose, isBool, 0, std::move(operands)});
    }
    if (name == "=" || name == "distinct" || name == "xor" || name == "=>") {
      const bool ofBools = parsed_.terms[operands[0]].isBool;
      if (operands.size() < 2 || !allAre(ofBools, operands) ||
          ((name == "xor" || name == "=>") && !ofBools)) {
        return mismatch();
      }
      return relation(name, operands);
    }
    if (name == "-" && operands.size() == 1) {
      operands.insert(operands.begin(), make({TermKind::constant, false, 0}));
    }
    const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                        [&](const Function& one) { return one.name == name; });
    if (function == kFunctions.end()) {
      return errorAt(at, "unsupported '{}'", name);
    }
    if (operands.size() < function->minOperands || operands.size() > function->maxOperands ||
        !allAre(function->ofBools, operands)) {
      return mismatch();
    }
    return applyFunction(*function, std::move(operands));
  }

  TermId applyFunction(const Function& function, std::vector<TermId> operands) {
    if (function.form == Form::plain) {
      return make({function.kind, function.isBool, 0, std::move(operands)});
    }
    if (function.form == Form::fold) {
      TermId folded = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        folded = make({function.kind, function.isBool, 0, {folded, operands[i]}});
      }
      return folded;
    }
    std::vector<TermId> links;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const TermId left = operands[function.swapped ? i : i - 1];
      const TermId right = operands[function.swapped ? i - 1 : i];
      links.push_back(make({function.kind, function.isBool, 0, {left, right}}));
    }
    return all(std::move(links));
  }

  TermId relation(std::string_view name, const std::vector<TermId>& operands) {
    const auto equal = [&](TermId left, TermId right) {
      return make({TermKind::equal, true, 0, {left, right}});
    };
    std::vector<TermId> parts;
    if (name == "=") {
      for (std::size_t i = 1; i < operands.size(); ++i) {
        parts.push_back(equal(operands[i - 1], operands[i]));
      }
      return all(std::move(parts));
    }
    if (name == "distinct") {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        for (std::size_t j = i + 1; j < operands.size(); ++j) {
          parts.push_back(negation(equal(operands[i], operands[j])));
        }
      }
      return all(std::move(parts));
    }
    if (name == "xor") {
      TermId folded = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        folded = negation(equal(folded, operands[i]));
      }
      return folded;
    }
    TermId implied = operands.back();
    for (std::size_t i = operands.size() - 1; i-- > 0;) {
      implied = make({TermKind::logicalOr, true, 0, {negation(operands[i]), implied}});
    }
    return implied;
  }

  ParsedConstraints parsed_;
  std::map<std::string_view, std::vector<TermId>> names_;  ///< the innermost binding is last
  std::map<Term, TermId> known_;
};

}  // namespace

Result<ParsedConstraints> parseSmtLib(std::string_view text) {
  Builder builder;
  for (const Expression& expression : HONE_TRY(parseExpressions(text))) {
    HONE_CHECK(builder.command(expression));
  }
  return builder.take();
}

}  // namespace hone::search
