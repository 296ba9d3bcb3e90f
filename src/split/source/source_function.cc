#include "split/source/source_function.h"

#include <algorithm>

namespace hone::split {
namespace {

/// Returns the number of open #if before the token.
int openConditions(const Source& source, std::size_t before) {
  int open = 0;
  for (const Token& token : std::span(source.tokens).first(before)) {
    if (token.kind == TokenKind::directive) {
      const std::string directive = parseDirective(token);
      open += directive.starts_with("if") ? 1 : directive.starts_with("endif") ? -1 : 0;
    }
  }
  return open;
}

Result<void> checkDirectives(const Source& source, const Definition& definition) {
  const std::string_view name = source.tokens[definition.name].text;
  if (openConditions(source, definition.name) != 0) {
    return source.error(source.tokens[definition.name].line, "{} is inside #if", name);
  }
  for (std::size_t i = definition.name; i < definition.bodyEnd; ++i) {
    if (source.tokens[i].kind == TokenKind::directive) {
      return source.error(source.tokens[i].line, "{} has a preprocessor line", name);
    }
  }
  return {};
}

/// Returns the definition whose name is the token at `at`; nullopt for a call or a declaration.
std::optional<Definition> definitionAt(const Source& source, std::size_t at) {
  const std::vector<Token>& tokens = source.tokens;
  if (!matches(tokens, at + 1, {"("})) {
    return std::nullopt;
  }
  const std::size_t close = source.partners[at + 1];
  const std::size_t body = close + (matches(tokens, close + 1, {"const"}) ? 2 : 1);
  if (!matches(tokens, body, {"{"})) {
    return std::nullopt;
  }
  return Definition{at, at + 2, close, body + 1, source.partners[body]};
}

}  // namespace

Result<std::optional<Definition>> findDefinition(const Source& source, std::string_view name) {
  std::optional<Definition> found;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const auto definition =
        source.tokens[i].text == name ? definitionAt(source, i) : std::optional<Definition>();
    if (definition && found) {
      return source.error(source.tokens[i].line, "second definition of {}", name);
    }
    if (definition) {
      found = definition;
      HONE_CHECK(checkDirectives(source, *found));
    }
  }
  return found;
}

Result<std::vector<std::string>> findParameters(const Source& source, const Definition& definition,
                                                std::initializer_list<std::string_view> sizes) {
  std::vector<std::string> names;
  std::vector<std::string_view> sizeNames;
  std::size_t begin = definition.parametersBegin;
  for (std::size_t i = begin; i <= definition.parametersEnd; ++i) {
    if (i < definition.parametersEnd && source.tokens[i].text != ",") {
      continue;
    }
    const auto all = std::span(source.tokens).subspan(begin, i - begin);
    const auto one = all.first(
        static_cast<std::size_t>(std::ranges::find(all, "=", &Token::text) - all.begin()));
    if (one.size() > 1 && one.back().kind == TokenKind::identifier) {
      names.emplace_back(one.back().text);
    }
    if (one.size() == 2 && one[0].text == "int64_t") {
      sizeNames.push_back(one[1].text);
    }
    begin = i + 1;
  }
  for (const std::string_view size : sizes) {
    if (std::ranges::count(sizeNames, size) != 1) {
      const Token& name = source.tokens[definition.name];
      return source.error(name.line, "{} has no parameter 'int64_t {}'", name.text, size);
    }
  }
  return names;
}

}  // namespace hone::split
