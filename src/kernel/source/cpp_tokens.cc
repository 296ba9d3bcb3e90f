#include "kernel/source/cpp_tokens.h"

#include <algorithm>

#include "base/text/text.h"

namespace hone::kernel {

std::vector<cpp_source::Token> kernelTokens(std::string_view text) {
  std::vector<cpp_source::Token> all = cpp_source::lex(text).tokens;
  bool defines = false;
  std::erase_if(all, [&](const cpp_source::Token& token) {
    if (token.kind == cpp_source::TokenKind::directive) {
      defines = trim(std::string_view(token.text).substr(1)).starts_with("define");
    }
    return token.inDirective && !defines;
  });
  return all;
}

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, text) != all.end();
}

}  // namespace hone::kernel
