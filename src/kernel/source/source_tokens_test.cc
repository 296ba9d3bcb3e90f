#include "kernel/source/source_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace hone::kernel {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(const std::vector<Token>& tokens) {
  std::vector<std::string> all;
  for (const Token& token : tokens) {
    all.push_back(token.kind == Token::Kind::text ? "'" + token.text + "'" : token.text);
  }
  return all;
}

TEST(CppTokens, LeaveCommentsAndCharactersOut) {
  EXPECT_THAT(words(cppTokens("int a; // fork()\n/* fork() */ b = 'f';\n// x \\\nfork()\nc")),
              ElementsAre("int", "a", ";", "b", "=", ";", "c"));
}

TEST(CppTokens, KeepTextsApart) {
  EXPECT_THAT(words(cppTokens(R"x(f("a\"b // c", R"(x"y)", u8R"d(z)")d"))x")),
              ElementsAre("f", "(", "'a\\\"b // c'", ",", "'x\"y'", ",", "'z)\"'", ")"));
  EXPECT_THAT(words(cppTokens("1'000'000 + 0x1p-3f")),
              ElementsAre("1'000'000", "+", "0x1p", "-", "3f"));
}

TEST(CppTokens, DirectivesAreWholeLines) {
  const auto tokens = cppTokens("#include <cmath>\nint x;\n#define F \\\n  fork()\ny\n");
  EXPECT_THAT(words(tokens), ElementsAre("#include <cmath>", "int", "x", ";", "#define F   fork()",
                                         "define", "F", "fork", "(", ")", "y"));
  EXPECT_EQ(tokens[7].line, 4u);
  EXPECT_EQ(tokens.back().line, 5u);
}

TEST(CppTokens, JoinLinesFirst) {
  const auto tokens = cppTokens("fo\\\nrk a\\ \nb /\\\n/ c\nd \"e\\\nf\"");
  EXPECT_THAT(words(tokens), ElementsAre("fork", "ab", "d", "'ef'"));
  EXPECT_EQ(tokens[1].line, 2u);
  EXPECT_EQ(tokens[2].line, 5u);
  // But not in raw texts, whose end would be another one.
  EXPECT_THAT(words(cppTokens("R\"( )\\\n\" )\" fork(); \"\"")),
              ElementsAre("' )\" '", "fork", "(", ")", ";", "''"));
}

TEST(CppTokens, DirectivesHaveAnotherSpelling) {
  EXPECT_THAT(
      words(cppTokens("%:include \"a\"\n%:define F fork\nx % : y")),
      ElementsAre("#include \"a\"", "#define F fork", "define", "F", "fork", "x", "%", ":", "y"));
}

TEST(PythonTokens, KnowStatementsAndTheirIndent) {
  const auto tokens = pythonTokens("@a\ndef f(x,\n  y):\n    return x @ y  # @ z\n");
  std::vector<std::string> firsts;
  for (const Token& token : tokens) {
    if (token.indent >= 0) {
      firsts.push_back(token.text + std::to_string(token.indent));
    }
  }
  EXPECT_THAT(firsts, ElementsAre("@0", "def0", "return4"));
}

TEST(PythonTokens, TextsOfAllKinds) {
  EXPECT_THAT(words(pythonTokens("'''a\n'b'\n''' \"c#\" r'd' rb\"e\" x")),
              ElementsAre("'a\n'b'\n'", "'c#'", "'d'", "'e'", "x"));
  EXPECT_THAT(words(pythonTokens("f\"{torch.mm(a)} b\" f'{x}'")),
              ElementsAre("'{torch.mm(a)} b'", "torch", ".", "mm", "(", "a", ")", "'{x}'", "x"));
}

TEST(Tokens, NeverFailOnAnyText) {
  rc::check("any text has tokens whose lines rise", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("ab1\"'\\/*#\n R({[)]}f@;=.")));
    for (const auto& tokens : {cppTokens(text), pythonTokens(text)}) {
      std::size_t line = 1;
      for (const Token& token : tokens) {
        RC_ASSERT(token.line >= line || token.kind != Token::Kind::symbol);
        line = std::max(line, token.line);
      }
    }
  });
}

}  // namespace
}  // namespace hone::kernel
