#include "kernel/source/python_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace hone::kernel {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(const std::vector<PythonToken>& tokens) {
  std::vector<std::string> all;
  for (const PythonToken& token : tokens) {
    all.push_back(token.kind == PythonToken::Kind::text ? "'" + token.text + "'" : token.text);
  }
  return all;
}

TEST(PythonTokens, RecordIndentOfStatements) {
  const auto tokens = pythonTokens("@a\ndef f(x,\n  y):\n    return x @ y  # @ z\n");
  std::vector<std::string> firsts;
  for (const PythonToken& token : tokens) {
    if (token.indent >= 0) {
      firsts.push_back(token.text + std::to_string(token.indent));
    }
  }
  EXPECT_THAT(firsts, ElementsAre("@0", "def0", "return4"));
}

TEST(PythonTokens, SplitAllKindsOfStrings) {
  EXPECT_THAT(words(pythonTokens("'''a\n'b'\n''' \"c#\" r'd' rb\"e\" x")),
              ElementsAre("'a\n'b'\n'", "'c#'", "'d'", "'e'", "x"));
  EXPECT_THAT(words(pythonTokens("f\"{torch.mm(a)} b\" f'{x}'")),
              ElementsAre("'{torch.mm(a)} b'", "torch", ".", "mm", "(", "a", ")", "'{x}'", "x"));
}

TEST(PythonTokens, NeverFail) {
  EXPECT_TRUE(rc::check("any text has tokens whose lines rise", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("ab1\"'\\/*#\n R({[)]}f@;=.")));
    int line = 1;
    for (const PythonToken& token : pythonTokens(text)) {
      RC_ASSERT(token.line >= line || token.kind != PythonToken::Kind::symbol);
      line = std::max(line, token.line);
    }
  }));
}

}  // namespace
}  // namespace hone::kernel
