#include "kernel/source/cheats/cheats_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "cpp_source/lexer.h"
#include "kernel/source/cheats/assembly_rules.h"
#include "kernel/source/cheats/cpp_rules.h"
#include "kernel/source/cheats/token_index.h"
#include "kernel/source/cpp_tokens.h"

namespace hone::kernel {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;
using Names = std::set<std::string, std::less<>>;

/// Splits preprocessed code into tokens whose lines are those of the source. Directives are single
/// tokens.
std::vector<Token> ownTokens(std::string_view own) {
  std::vector<Token> tokens = cpp_source::lex(own).tokens;
  int shift = 0;
  for (Token& token : tokens) {
    const auto marked = token.kind == TokenKind::directive
                            ? parseInt(trim(std::string_view(token.text).substr(1)))
                            : std::nullopt;
    if (marked) {
      shift = static_cast<int>(*marked) - token.line - 1;
    }
    token.line += shift;
  }
  std::erase_if(tokens, [](const Token& token) { return token.inDirective; });
  return tokens;
}

/// Names that a kernel declares.
class Declarations {
 public:
  explicit Declarations(const TokenIndex& tokens) : tokens_(tokens) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      noteExternC(i);
      noteKept(i);
      noteTyped(i);
      noteBinding(i);
    }
  }

  /// Returns true for functions with a body, and for virtual functions without one.
  [[nodiscard]] bool isFunction(std::string_view name) const { return functions_.contains(name); }
  /// Returns true for functions that replace one of the system.
  [[nodiscard]] bool isInterposed(std::string_view name) const {
    return interposed_.contains(name);
  }
  /// Returns true for variables, parameters and types.
  [[nodiscard]] bool isVariable(std::string_view name) const { return variables_.contains(name); }
  /// Returns true for static variables that are not constant.
  [[nodiscard]] bool isKept(std::string_view name) const { return kept_.contains(name); }

 private:
  /// Notes functions, "type name(…) {", and variables, "type name =".
  void noteTyped(std::size_t i) {
    if (!tokens_.isName(i)) {
      return;
    }
    const std::string_view last = tokens_.before(i);  // end of the type, or of its attribute
    const bool member = last == "::" && i > 1 && tokens_.isName(i - 2);
    const bool typed = (i > 0 && tokens_.isName(i - 1)) || member ||
                       isOneOf(last, {"*", "&", "&&", ">", ")", "]"});
    if (!typed || isCondition(i) ||
        isOneOf(last, {"return", "else", "do", "goto", "case", "new"})) {
      return;
    }
    if (tokens_.at(i + 1) == "(") {
      noteFunction(i);
    } else if (!member && isOneOf(tokens_.at(i + 1), {"=", ";", ",", ")", "{", "[", ":"})) {
      variables_.insert(tokens_.token(i).text);
    }
  }

  /// Returns true for words between the parameters of a function and its body that have arguments.
  [[nodiscard]] bool isCondition(std::size_t i) const {
    return isOneOf(tokens_.at(i), {"noexcept", "requires", "throw", "__attribute__"});
  }

  /// Notes the name before a parenthesis, if it is declared there.
  void noteFunction(std::size_t i) {
    std::size_t next = tokens_.afterBracket(i + 1);
    while (tokens_.isName(next) || isOneOf(tokens_.at(next), {"&", "&&"})) {
      const bool arguments = isCondition(next) && tokens_.at(next + 1) == "(";
      next = arguments ? tokens_.afterBracket(next + 1) : next + 1;
    }
    const std::size_t first = tokens_.before(i) == "::" ? i - 2 : i;
    if (tokens_.at(next) == "->" && tokens_.before(first) == "auto") {
      next = tokens_.statementEnd(next);
    }
    const bool pure = tokens_.at(next) == "=" && tokens_.at(next + 1) == "0";
    if (tokens_.at(next) == "{" || pure) {
      (isExternC(i) ? interposed_ : functions_).insert(tokens_.token(i).text);
    } else if (isOneOf(tokens_.at(next), {";", ","}) && followsTemplate(i)) {
      variables_.insert(tokens_.token(i).text);
    }
  }

  /// Returns true if the statement of the name at i is a type with template arguments up to the
  /// name: "std::vector<float> name". Otherwise ">" may compare.
  [[nodiscard]] bool followsTemplate(std::size_t i) const {
    const std::size_t open = i > 0 ? tokens_.openingBracket(i - 1) : i;
    if (tokens_.at(open) != "<" || open == 0 || isVariable(tokens_.before(open))) {
      return false;
    }
    std::size_t first = open;
    while (first > 0 && (tokens_.isName(first - 1) || tokens_.before(first) == "::")) {
      --first;
    }
    return first < open && first == tokens_.statementBegin(i);
  }

  /// Notes the names of a structured binding: "auto [a, b] =".
  void noteBinding(std::size_t i) {
    if (tokens_.at(i) != "auto") {
      return;
    }
    const std::size_t open = i + (isOneOf(tokens_.at(i + 1), {"&", "&&"}) ? 2 : 1);
    const std::size_t end = tokens_.at(open) == "[" ? tokens_.afterBracket(open) : open;
    if (!isOneOf(tokens_.at(end), {"=", ":", "{", "("})) {
      return;
    }
    for (std::size_t name = open + 1; tokens_.isName(name); name += 2) {  // between commas
      variables_.insert(tokens_.token(name).text);
    }
  }

  /// Notes the name at i if "static" is the last storage class or "const" before it.
  void noteKept(std::size_t i) {
    if (isOneOf(tokens_.at(i), {"const", "constexpr", "static", "thread_local"})) {
      storage_ = i;
    } else if (storage_ >= tokens_.statementBegin(i) && tokens_.isName(i) &&
               isOneOf(tokens_.at(storage_), {"static", "thread_local"}) &&
               isOneOf(tokens_.at(i + 1), {"[", ";", "=", "{"})) {
      kept_.insert(tokens_.token(i).text);
    }
  }

  void noteExternC(std::size_t i) {
    const bool found = tokens_.before(i) == "extern" && tokens_.at(i) == "\"C\"";
    const std::size_t last = externCs_.empty() ? 0 : externCs_.back();
    externCs_.push_back(found ? i : last);
  }

  /// Returns true if extern "C" begins the declaration of the name at i.
  [[nodiscard]] bool isExternC(std::size_t i) const {
    const std::size_t begin = tokens_.statementBegin(i);
    const std::size_t last = externCs_[i];
    return last > 0 && (last >= begin || (last + 2 == begin && tokens_.at(begin - 1) == "{"));
  }

  const TokenIndex& tokens_;
  std::size_t storage_ = 0;            ///< index of the last "static" or "const"
  std::vector<std::size_t> externCs_;  ///< by index: that of the last "C" after extern, or 0
  Names functions_;
  Names interposed_;
  Names variables_;
  Names kept_;
};

class CppScan {
 public:
  explicit CppScan(const std::vector<Token>& tokens) : tokens_(tokens), declared_(tokens_) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = tokens_.at(i);
      if (tokens_.isName(i) && declared_.isKept(word)) {
        keptUses_.add(i);
      }
      if (isTable(word)) {
        tables_.add(i);
      }
      if (isOneOf(word, {"*", "uintptr_t", "intptr_t"})) {
        pointers_.add(i);
      }
    }
  }

  std::vector<Cheat> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      switch (tokens_.token(i).kind) {
        case TokenKind::directive:
          readDirective(tokens_.token(i));
          break;
        case TokenKind::string:
          readString(i);
          break;
        case TokenKind::identifier:
          readName(i);
          break;
        default:
          if (at(i) == "[" && at(i + 1) == "[") {
            readAttributes(i);
          }
      }
    }
    return std::move(cheats_);
  }

 private:
  [[nodiscard]] static bool isTable(std::string_view word) {
    return isOneOf(word, {"map", "set", "unordered_map", "unordered_set"});
  }
  [[nodiscard]] std::string_view at(std::size_t i) const { return tokens_.at(i); }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return tokens_.before(i, steps);
  }

  void add(const Token& token, std::string_view what) {
    cheats_.push_back({token.line, fmt::format("{} ({})", what, token.text)});
  }
  void check(CppForm form, std::size_t i) {
    if (const CppRule* rule = findCppRule(form, at(i)); rule != nullptr) {
      add(tokens_.token(i), rule->reason);
    }
  }

  void readDirective(const Token& token) {
    const std::string_view line = trim(std::string_view(token.text).substr(1));
    constexpr std::string_view kPragma = "pragma";
    if (line.starts_with(kPragma)) {
      for (const Token& word : cpp_source::lex(line).tokens) {
        if (const CppRule* rule = findCppRule(CppForm::pragma, word.text); rule != nullptr) {
          cheats_.push_back({token.line, fmt::format("{} ({})", rule->reason, word.text)});
        }
      }
      return;
    }
    const std::size_t open = line.find_first_of("<\"");
    if (open == std::string_view::npos || (!line.starts_with("inc") && !line.starts_with("imp"))) {
      return;
    }
    const std::string_view name = line.substr(open + 1, line.find_last_of(">\"") - open - 1);
    const bool path = name.starts_with('/') || name.contains("..");
    const CppRule* rule = findCppRule(CppForm::header, path ? "sys/" : name);
    if (rule != nullptr && !isOneOf(name, {"sys/types.h", "sys/param.h", "sys/cdefs.h"})) {
      cheats_.push_back(
          {token.line, fmt::format("includes {}; {}", line.substr(open), rule->reason)});
    }
  }

  void readString(std::size_t i) {
    const std::string text = decodeEscapes(cpp_source::literalBody(tokens_.token(i)));
    for (const CppRule& rule : cppRules()) {
      for (const std::string_view name : rule.names) {
        if (rule.form == CppForm::text && text.contains(name)) {
          cheats_.push_back({tokens_.token(i).line, fmt::format("{} ({})", rule.reason, name)});
        }
      }
    }
  }

  void readName(std::size_t i) {
    const std::string_view name = at(i);
    check(CppForm::keyword, i);
    if (isCall(i)) {
      check(CppForm::call, i);
    }
    if (at(i + 1) == "::") {
      check(CppForm::scope, i);
    }
    if (before(i) == "::" && before(i, 2) == "std") {
      check(CppForm::standard, i);
    }
    if (name == "__attribute__" || name == "__attribute") {
      readAttributes(i + 1);
    } else if (name == "asm" || name == "__asm__" || name == "__asm") {
      readAssembly(i);
    } else if (name == "static" || name == "thread_local") {
      readStatic(i);
    } else if (name == "memcmp" || name == "bcmp") {
      readComparison(i);
    } else if (name == "detach" && isOneOf(before(i), {".", "->"}) && at(i + 1) == "(") {
      add(tokens_.token(i), "leaves a thread running");
    }
  }

  /// Returns true if "name(" calls a function of the system: neither one of the kernel nor a
  /// member, nor one in a namespace other than std. Also true where the kernel replaces a function
  /// of the system.
  [[nodiscard]] bool isCall(std::size_t i) const {
    if (at(i + 1) != "(" || declared_.isFunction(at(i)) || declared_.isVariable(at(i))) {
      return false;
    }
    if (declared_.isInterposed(at(i))) {
      return true;
    }
    const bool member = isOneOf(before(i), {".", "->"});
    const bool scoped = before(i) == "::" && i > 1 && tokens_.isName(i - 2) &&
                        !isOneOf(before(i, 2), {"std", "this_thread", "return"});
    const bool declares =
        i > 0 && tokens_.isName(i - 1) &&
        !isOneOf(before(i), {"return", "else", "do", "co_return", "case", "throw", "and", "or"});
    return !member && !scoped && !declares;
  }

  /// Checks the words of an attribute list in brackets, unless they are part of a list that was
  /// checked before.
  void readAttributes(std::size_t open) {
    if (open < attributesEnd_) {
      return;
    }
    const std::size_t end = tokens_.afterBracket(open);
    attributesEnd_ = end;
    for (std::size_t i = open; i < end; ++i) {
      std::string_view name = at(i);
      if (name.starts_with("__") && name.ends_with("__") && name.size() > 4) {
        name = name.substr(2, name.size() - 4);
      }
      const bool starts = isOneOf(before(i), {"(", "::", ":", ",", "["});
      if (const CppRule* rule = findCppRule(CppForm::attribute, name); rule != nullptr && starts) {
        add(tokens_.token(i), rule->reason);
      }
    }
  }

  void readAssembly(std::size_t i) {
    while (isOneOf(at(i + 1), {"volatile", "__volatile__", "goto", "inline", "__inline__"})) {
      ++i;
    }
    const std::size_t end = at(i + 1) == "(" ? tokens_.afterBracket(i + 1) : i;
    // Adjacent string literals are concatenated; the first literals are the instructions.
    std::string text;
    std::size_t next = i + 2;
    for (; next < end && tokens_.token(next).kind == TokenKind::string; ++next) {
      text += decodeEscapes(cpp_source::literalBody(tokens_.token(next)));
    }
    const bool renames = at(next) == ")" && i > 0 && before(i) == ")";  // f() asm("name");
    std::string why = renames ? "" : explainRejectedAssembly(text);
    if (next >= end || !isOneOf(at(next), {":", "::", ")"})) {  // not literals
      why = "has assembly whose instructions cannot be read";
    }
    if (!why.empty()) {
      cheats_.push_back({tokens_.token(i).line, why});
    }
  }

  /// Detects static pointers to constants, addresses and tables with pointers as keys, which caches
  /// of results need. Constant tables and scratch memory are allowed.
  void readStatic(std::size_t i) {
    if (readStatics_.contains(i)) {
      return;
    }
    bool constant = false;
    bool pointer = false;
    bool address = false;
    bool table = false;
    std::size_t next = i + 1;
    while (next < tokens_.size()) {
      const std::string_view word = at(next);
      if (word == "<") {
        const std::size_t end = tokens_.afterBracket(next);
        const std::size_t first = table ? next : tables_.firstIn(next, end);
        if (pointers_.firstIn(first, end) < end) {
          add(tokens_.token(i), "keeps a table of earlier inputs");
          break;
        }
        table = table || first < end;
        next = end;
        continue;
      }
      table = table || isTable(word);
      if (isOneOf(word, {"(", "[", ">", "constexpr", "operator"}) || (word == "const" && pointer)) {
        break;  // a function, an array or a constant; ">" ends an outer template argument
      }
      if (isOneOf(word, {"static", "thread_local"})) {
        readStatics_.insert(next);
      }
      constant = constant || word == "const";
      address = address || word == "uintptr_t" || word == "intptr_t";
      pointer = pointer || word == "*";
      if (isOneOf(word, {"=", ";", "{", ","})) {
        const bool cleared =
            word != "=" || isOneOf(at(next + 1), {"nullptr", "0", "NULL", "__null"});
        if (((constant && pointer) || address) && cleared) {
          add(tokens_.token(next - 1), "keeps a pointer between calls");
        }
        break;
      }
      ++next;
    }
  }

  /// Detects comparisons with memory that is kept between calls.
  void readComparison(std::size_t i) {
    const std::size_t end = at(i + 1) == "(" ? tokens_.afterBracket(i + 1) : i;
    if (keptUses_.firstIn(i + 1, end) < end) {
      add(tokens_.token(i), "compares its inputs with earlier ones");
    }
  }

  TokenIndex tokens_;
  Declarations declared_;
  TokenPlaces keptUses_;  ///< uses of memory that is kept between calls
  TokenPlaces tables_;
  TokenPlaces pointers_;
  std::size_t attributesEnd_ = 0;      ///< index after the last attribute list that was checked
  std::set<std::size_t> readStatics_;  ///< second storage class of a declaration that was checked
  std::vector<Cheat> cheats_;
};

}  // namespace

std::vector<Cheat> findCppCheats(std::string_view own) {
  const std::vector<Token> tokens = ownTokens(own);
  return CppScan(tokens).run();
}

}  // namespace hone::kernel
