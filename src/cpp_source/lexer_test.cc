#include "cpp_source/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>

namespace hone::cpp_source {
namespace {

using testing::ElementsAre;

std::vector<std::string> textsOf(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : lex(text).tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

/// Of the tokens outside directives: what the original text has in their place.
std::vector<std::string> piecesOf(std::string_view text) {
  std::vector<std::string> pieces;
  for (const Token& token : lex(text).tokens) {
    if (!token.inDirective) {
      pieces.emplace_back(text.substr(token.begin, token.end - token.begin));
    }
  }
  return pieces;
}

std::vector<TokenKind> kindsOf(std::string_view text) {
  std::vector<TokenKind> kinds;
  for (const Token& token : lex(text).tokens) {
    kinds.push_back(token.kind);
  }
  return kinds;
}

TEST(Lexer, LeavesCommentsOut) {
  EXPECT_THAT(textsOf("a /* { \" */ b // } ' \\\n still a comment\nc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(textsOf("int a; // fork()\n/* fork() */ b = 'f';\n// x \\\nfork()\nc"),
              ElementsAre("int", "a", ";", "b", "=", "'f'", ";", "c"));
  EXPECT_THAT(textsOf("a/*/ b */c/**/d"), ElementsAre("a", "c", "d"));
}

TEST(Lexer, TakesLiteralsWhole) {
  EXPECT_THAT(textsOf(R"x(f("}\"{", '\'', u8"(", L'{') "a" "b"s)x"),
              ElementsAre("f", "(", R"("}\"{")", ",", R"('\'')", ",", "u8\"(\"", ",", "L'{'", ")",
                          "\"a\"", "\"b\"", "s"));
  EXPECT_THAT(kindsOf("u'a' U\"b\" x"),
              ElementsAre(TokenKind::character, TokenKind::string, TokenKind::identifier));
  EXPECT_THAT(textsOf("xL\"a\" u8 \"b\""), ElementsAre("xL", "\"a\"", "u8", "\"b\""));
}

TEST(Lexer, TakesRawLiteralsWhole) {
  EXPECT_THAT(textsOf("R\"x(} \" )\" )x\" y"), ElementsAre("R\"x(} \" )\" )x\"", "y"));
  EXPECT_THAT(textsOf("u8R\"d(z)\")d\" LR\"(\n)\""), ElementsAre("u8R\"d(z)\")d\"", "LR\"(\n)\""));
  // Lines are not joined in them: the end would be another one.
  EXPECT_THAT(textsOf("R\"( )\\\n\" )\" fork(); \"\""),
              ElementsAre("R\"( )\\\n\" )\"", "fork", "(", ")", ";", "\"\""));
  // But before the quote they are.
  EXPECT_THAT(textsOf("R\\\n\"(a\"b)\" c"), ElementsAre("R\"(a\"b)\"", "c"));
}

TEST(Lexer, TakesNoSuffixForAPrefix) {
  EXPECT_THAT(textsOf("\"a\"R\"x(\" fork(); \")x\""),
              ElementsAre("\"a\"", "R", "\"x(\"", "fork", "(", ")", ";", "\")x\""));
  EXPECT_THAT(textsOf("\"a\" R\"(b\")\""), ElementsAre("\"a\"", "R\"(b\")\""));
}

TEST(Lexer, GivesTheBodyOfALiteral) {
  const auto bodies = [](std::string_view text) {
    std::vector<std::string> all;
    for (const Token& token : lex(text).tokens) {
      all.emplace_back(literalBody(token));
    }
    return all;
  };
  EXPECT_THAT(bodies(R"x("a\"b // c" R"(x"y)" u8R"d(z)")d" L'q' u"" name)x"),
              ElementsAre("a\\\"b // c", "x\"y", "z)\"", "q", "", ""));
  EXPECT_THAT(bodies("\"e\\\nf\" \"open"), ElementsAre("ef", "open"));
}

TEST(Lexer, KnowsNumbersWithSeparatorsAndExponents) {
  EXPECT_THAT(textsOf("1'000'000+1e-7 .5f 0x1F"),
              ElementsAre("1'000'000", "+", "1e-7", ".5f", "0x1F"));
  EXPECT_THAT(textsOf("1'000'000 + 0x1p-3f"), ElementsAre("1'000'000", "+", "0x1p-3f"));
  EXPECT_THAT(kindsOf("1'0 .5 .x"), ElementsAre(TokenKind::number, TokenKind::number,
                                                TokenKind::punctuator, TokenKind::identifier));
}

TEST(Lexer, TakesAQuoteBehindANumberForASeparatorOnlyBeforeADigitOrLetter) {
  EXPECT_THAT(textsOf("1' R\"x(' fork(); // )x\""),
              ElementsAre("1", "' R\"x('", "fork", "(", ")", ";"));
}

TEST(Lexer, KnowsLongPunctuators) {
  EXPECT_THAT(textsOf("a<=b&&c||d->e::f<<1>>2"),
              ElementsAre("a", "<=", "b", "&&", "c", "||", "d", "->", "e", "::", "f", "<<", "1",
                          ">", ">", "2"));
  EXPECT_THAT(
      textsOf("a<=>b...c->*d.*e<<=f+++g"),
      ElementsAre("a", "<=>", "b", "...", "c", "->*", "d", ".*", "e", "<<=", "f", "++", "+", "g"));
}

TEST(Lexer, KnowsDigraphs) {
  EXPECT_THAT(textsOf("a<:0:> <%%> x %:%: y x % : y"),
              ElementsAre("a", "[", "0", "]", "{", "}", "x", "##", "y", "x", "%", ":", "y"));
  EXPECT_THAT(piecesOf("a<:0:>"), ElementsAre("a", "<:", "0", ":>"));
  EXPECT_THAT(textsOf("v<::x> v<:::x:> v<::>"),
              ElementsAre("v", "<", "::", "x", ">", "v", "[", "::", "x", "]", "v", "[", "]"));
}

TEST(Lexer, TakesADirectiveWhole) {
  const std::string text = "#define A {\\\n  ( // more\nb # c\r\n  # include <x>\r\n";
  EXPECT_THAT(piecesOf(text), ElementsAre("#define A {\\\n  (", "b", "#", "c", "# include <x>"));
  EXPECT_THAT(textsOf(text), ElementsAre("#define A {  (", "define", "A", "{", "(", "b", "#", "c",
                                         "# include <x>", "include", "<x>"));
}

TEST(Lexer, FlagsTheTokensOfADirective) {
  const auto tokens = lex("#include <cmath>\nint x;\n#define F \\\n  fork()\ny\n").tokens;
  EXPECT_EQ(tokens[0].text, "#include <cmath>");
  EXPECT_EQ(tokens[0].kind, TokenKind::directive);
  EXPECT_FALSE(tokens[0].inDirective);
  EXPECT_TRUE(tokens[1].inDirective);
  EXPECT_EQ(tokens[2].kind, TokenKind::header);
  EXPECT_FALSE(tokens[3].inDirective);
  EXPECT_EQ(tokens[6].text, "#define F   fork()");
  EXPECT_EQ(tokens[9].text, "fork");
  EXPECT_TRUE(tokens[9].inDirective);
  EXPECT_EQ(tokens[9].line, 4);
  EXPECT_FALSE(tokens.back().inDirective);
  EXPECT_EQ(tokens.back().line, 5);
}

TEST(Lexer, ReadsADirectiveThroughCommentsAndJoinedLines) {
  EXPECT_THAT(textsOf("#/**/inc\\\nlude /* a\n b */ \"x//y\" // z\nq"),
              ElementsAre("# include   \"x//y\"", "include", "\"x//y\"", "q"));
  EXPECT_THAT(textsOf("/* a */ #if 0\n"), ElementsAre("#if 0", "if", "0"));
  EXPECT_THAT(textsOf("a /* \n */ # b"), ElementsAre("a", "#", "b"));
  EXPECT_THAT(textsOf("#define S R\"(\n)\" t\nu"),
              ElementsAre("#define S R\"(\n)\" t", "define", "S", "R\"(\n)\"", "t", "u"));
}

TEST(Lexer, KnowsTheOtherSpellingOfDirectives) {
  EXPECT_THAT(
      textsOf("%:include \"a\"\n%:define F fork\n"),
      ElementsAre("#include \"a\"", "include", "\"a\"", "#define F fork", "define", "F", "fork"));
  EXPECT_THAT(textsOf("\xEF\xBB\xBF#if 0"), ElementsAre("#if 0", "if", "0"));
  EXPECT_THAT(textsOf("##x"), ElementsAre("##", "x"));
}

TEST(Lexer, TakesHeaderNamesLiterally) {
  EXPECT_THAT(textsOf("#include <it's//x>\n#include \"a\\\"\nb"),
              ElementsAre("#include <it's//x>", "include", "<it's//x>", "#include \"a\\\"",
                          "include", "\"a\\\"", "b"));
}

TEST(Lexer, JoinsLinesFirst) {
  const auto tokens = lex("fo\\\nrk a\\ \nb /\\\n/ c\nd \"e\\\nf\"").tokens;
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[0].text, "fork");
  EXPECT_EQ(tokens[1].text, "ab");
  EXPECT_EQ(tokens[1].line, 2);
  EXPECT_EQ(tokens[2].text, "d");
  EXPECT_EQ(tokens[2].line, 5);
  EXPECT_EQ(tokens[3].text, "\"ef\"");
}

TEST(Lexer, CountsLinesColumnsAndOffsets) {
  const std::string text = "a\r\n/* x\n */ b\n\"s\\\nt\" c";
  const auto tokens = lex(text).tokens;
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[1].line, 3);
  EXPECT_EQ(tokens[1].column, 5);
  EXPECT_EQ(tokens[2].line, 4);
  EXPECT_EQ(tokens[2].column, 1);
  EXPECT_EQ(tokens[3].line, 5);
  EXPECT_EQ(tokens[3].column, 4);
  EXPECT_THAT(piecesOf(text), ElementsAre("a", "b", "\"s\\\nt\"", "c"));
}

TEST(Lexer, SaysWhatHasNoEnd) {
  using Kind = Unterminated::Kind;
  for (const auto& [text, kind, line] :
       {std::tuple("a\n/* b", Kind::comment, 2), std::tuple("a\n\n\"b\n\"", Kind::literal, 3),
        std::tuple("'a", Kind::literal, 1), std::tuple("\"a\\", Kind::literal, 1),
        std::tuple("R\"x(a)\"", Kind::rawLiteral, 1),
        std::tuple("R\"x y(a)x\"", Kind::rawLiteral, 1),
        std::tuple("\nR\"01234567890123456(a)01234567890123456\"", Kind::rawLiteral, 2),
        std::tuple("#define /*", Kind::comment, 1)}) {
    const auto found = lex(text).unterminated;
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->kind, kind) << text;
    EXPECT_EQ(found->line, line) << text;
  }
  EXPECT_FALSE(lex("a 'b' \"c\" /**/ R\"(d)\"\n#error don't\n").unterminated);
}

TEST(Lexer, NeverFailsOnAnyText) {
  EXPECT_TRUE(rc::check("tokens lie in the text, in order, with lines that rise", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("ab1\"'\\/*#\n R({[)]}f@;=.<:%>u8\r")));
    int line = 1;
    std::size_t end = 0;
    for (const Token& token : lex(text).tokens) {
      RC_ASSERT(token.begin < token.end);
      RC_ASSERT(token.end <= text.size());
      RC_ASSERT(token.line >= line);
      if (!token.inDirective) {
        RC_ASSERT(token.begin >= end);
        end = token.end;
      }
      line = token.line;
    }
  }));
}

}  // namespace
}  // namespace hone::cpp_source
