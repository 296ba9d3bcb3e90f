#include "kernel/source/cheats/cheats_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "cpp_source/lexer.h"
#include "kernel/source/cheats/assembly_rules.h"
#include "kernel/source/cheats/cpp_rules.h"

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

class CppScan {
 public:
  explicit CppScan(std::span<const Token> tokens) : tokens_(tokens) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      noteDeclaration(i);
    }
  }

  std::vector<Cheat> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      switch (tokens_[i].kind) {
        case TokenKind::directive:
          readDirective(tokens_[i]);
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
  /// Returns a token's text; "" beyond the end.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return i >= steps ? at(i - steps) : std::string_view();
  }
  [[nodiscard]] bool isName(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier;
  }
  [[nodiscard]] bool isOneOf(std::string_view text,
                             std::initializer_list<std::string_view> all) const {
    return std::ranges::find(all, text) != all.end();
  }

  void add(const Token& token, std::string_view what) {
    cheats_.push_back({token.line, fmt::format("{} ({})", what, token.text)});
  }
  void check(CppForm form, std::size_t i) {
    if (const CppRule* rule = findCppRule(form, at(i)); rule != nullptr) {
      add(tokens_[i], rule->reason);
    }
  }

  /// Returns the index after the bracket that closes the one at `open`.
  [[nodiscard]] std::size_t skipBrackets(std::size_t open) const {
    const std::string_view opens = at(open);
    const std::string_view closes = opens == "[" ? "]" : ")";
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      depth += at(i) == opens ? 1 : at(i) == closes ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return tokens_.size();
  }

  /// Notes functions with a body, "type name(…) {", and variables, "type name =".
  void noteDeclaration(std::size_t i) {
    const std::string_view last = before(i);  // end of the type, or of an attribute after it
    const bool typed = (i > 0 && isName(i - 1)) || isOneOf(last, {"*", "&", "&&", ">", ")", "]"});
    if (!isName(i) || !typed || isOneOf(last, {"return", "else", "do", "goto", "case", "new"})) {
      return;
    }
    if (isOneOf(at(i + 1), {"=", ";", ",", ")", "{", "[", ":"})) {
      variables_.insert(tokens_[i].text);
      return;
    }
    if (at(i + 1) != "(") {
      return;
    }
    std::size_t next = skipBrackets(i + 1);
    while (isName(next)) {  // noexcept etc.
      ++next;
    }
    if (at(next) == "{") {
      (isExternC(i) ? interposed_ : functions_).insert(tokens_[i].text);
    }
  }

  /// Returns true if extern "C" begins the declaration of the name at i.
  [[nodiscard]] bool isExternC(std::size_t i) const {
    for (; i > 0 && !isOneOf(before(i), {";", "}", "{"}); --i) {
      if (before(i, 2) == "extern" && before(i) == "\"C\"") {
        return true;
      }
    }
    return i > 1 && before(i) == "{" && before(i, 2) == "\"C\"";
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
    if (rule != nullptr) {
      cheats_.push_back(
          {token.line, fmt::format("includes {}; {}", line.substr(open), rule->reason)});
    }
  }

  void readString(std::size_t i) {
    const std::string text = decodeEscapes(cpp_source::literalBody(tokens_[i]));
    for (const CppRule& rule : cppRules()) {
      for (const std::string_view name : rule.names) {
        if (rule.form == CppForm::text && text.contains(name)) {
          cheats_.push_back({tokens_[i].line, fmt::format("{} ({})", rule.reason, name)});
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
      add(tokens_[i], "leaves a thread running");
    }
  }

  /// Returns true if "name(" calls a function of the system: neither one of the kernel nor a
  /// member, nor one in a namespace other than std. Also true where the kernel replaces a function
  /// of the system.
  [[nodiscard]] bool isCall(std::size_t i) const {
    const std::string& name = tokens_[i].text;
    if (at(i + 1) != "(" || functions_.contains(name) || variables_.contains(name)) {
      return false;
    }
    if (interposed_.contains(name)) {
      return true;
    }
    const bool member = isOneOf(before(i), {".", "->"});
    const bool scoped = before(i) == "::" && i > 1 && isName(i - 2) &&
                        !isOneOf(before(i, 2), {"std", "this_thread", "return"});
    const bool declares =
        i > 0 && isName(i - 1) &&
        !isOneOf(before(i), {"return", "else", "do", "co_return", "case", "throw", "and", "or"});
    return !member && !scoped && !declares;
  }

  /// Checks the words of an attribute list in brackets, unless they are part of a list that was
  /// checked before.
  void readAttributes(std::size_t open) {
    if (open < attributesEnd_) {
      return;
    }
    const std::size_t end = skipBrackets(open);
    attributesEnd_ = end;
    for (std::size_t i = open; i < end; ++i) {
      std::string_view name = at(i);
      if (name.starts_with("__") && name.ends_with("__") && name.size() > 4) {
        name = name.substr(2, name.size() - 4);
      }
      const bool starts = isOneOf(before(i), {"(", "::", ":", ",", "["});
      if (const CppRule* rule = findCppRule(CppForm::attribute, name); rule != nullptr && starts) {
        add(tokens_[i], rule->reason);
      }
    }
  }

  void readAssembly(std::size_t i) {
    while (isOneOf(at(i + 1), {"volatile", "__volatile__", "goto", "inline", "__inline__"})) {
      ++i;
    }
    const std::size_t end = skipBrackets(i + 1);
    // Adjacent string literals are concatenated; the first literals are the instructions.
    std::string text;
    std::size_t next = i + 2;
    for (; next < end && tokens_[next].kind == TokenKind::string; ++next) {
      text += decodeEscapes(cpp_source::literalBody(tokens_[next]));
    }
    const bool renames = at(next) == ")" && i > 0 && before(i) == ")";  // f() asm("name");
    std::string why = renames ? "" : explainRejectedAssembly(text);
    if (!isOneOf(at(next), {":", "::", ")"})) {  // instructions that are not literals
      why = "has assembly whose instructions cannot be read";
    }
    if (!why.empty()) {
      cheats_.push_back({tokens_[i].line, why});
    }
  }

  /// Detects static pointers to constants, addresses and tables with pointers as keys, which caches
  /// of results need. Constant tables and scratch memory are allowed.
  void readStatic(std::size_t i) {
    bool constant = false;
    bool pointer = false;
    bool address = false;
    bool table = false;
    int depth = 0;
    for (std::size_t next = i + 1; next < tokens_.size(); ++next) {
      const std::string_view word = at(next);
      depth += word == "<" ? 1 : word == ">" ? -1 : 0;
      table = table || isOneOf(word, {"map", "set", "unordered_map", "unordered_set"});
      if (depth > 0) {
        if (table && isOneOf(word, {"*", "uintptr_t", "intptr_t"})) {
          add(tokens_[i], "keeps a table of earlier inputs");
          return;
        }
        continue;
      }
      if (word == "(" || word == "[" || (word == "const" && pointer) || word == "constexpr") {
        return;  // a function, an array or a constant
      }
      constant = constant || word == "const";
      address = address || word == "uintptr_t" || word == "intptr_t";
      pointer = pointer || word == "*";
      if (isOneOf(word, {"=", ";", "{", ","})) {
        const bool cleared =
            word != "=" || isOneOf(at(next + 1), {"nullptr", "0", "NULL", "__null"});
        if (((constant && pointer) || address) && cleared) {
          add(tokens_[next - 1], "keeps a pointer between calls");
        }
        return;
      }
    }
  }

  /// Detects comparisons with memory that is kept between calls.
  void readComparison(std::size_t i) {
    const std::size_t end = at(i + 1) == "(" ? skipBrackets(i + 1) : i;
    for (std::size_t next = i + 1; next < end; ++next) {
      if (isName(next) && isKept(at(next))) {
        add(tokens_[i], "compares its inputs with earlier ones");
        return;
      }
    }
  }
  /// Returns true for a static variable that is not constant.
  [[nodiscard]] bool isKept(std::string_view name) const {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (at(i) != name || !isOneOf(at(i + 1), {"[", ";", "=", "{"})) {
        continue;
      }
      for (std::size_t first = i; first > 0 && !isOneOf(before(first), {";", "{", "}"}); --first) {
        if (isOneOf(before(first), {"const", "constexpr"})) {
          break;
        }
        if (isOneOf(before(first), {"static", "thread_local"})) {
          return true;
        }
      }
    }
    return false;
  }

  std::span<const Token> tokens_;
  Names functions_;                ///< that the kernel defines
  Names interposed_;               ///< that it defines as extern "C"
  Names variables_;                ///< variables, parameters and types
  std::size_t attributesEnd_ = 0;  ///< index after the last attribute list that was checked
  std::vector<Cheat> cheats_;
};

}  // namespace

std::vector<Cheat> findCppCheats(std::string_view own) {
  const std::vector<Token> tokens = ownTokens(own);
  return CppScan(tokens).run();
}

}  // namespace hone::kernel
