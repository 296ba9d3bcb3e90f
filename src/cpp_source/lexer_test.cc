#include "cpp_source/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>

namespace hone::cpp_source {
namespace {

using testing::ElementsAre;

std::vector<std::string> lexTexts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : lex(text).tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

/// Returns the original text of the tokens outside directives.
std::vector<std::string> lexPieces(std::string_view text) {
  std::vector<std::string> pieces;
  for (const Token& token : lex(text).tokens) {
    if (!token.inDirective) {
      pieces.emplace_back(text.substr(token.begin, token.end - token.begin));
    }
  }
  return pieces;
}

std::vector<TokenKind> lexKinds(std::string_view text) {
  std::vector<TokenKind> kinds;
  for (const Token& token : lex(text).tokens) {
    kinds.push_back(token.kind);
  }
  return kinds;
}

TEST(Lexer, DropsComments) {
  EXPECT_THAT(lexTexts("a /* { \" */ b // } ' \\\n still a comment\nc"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(lexTexts("int a; // fork()\n/* fork() */ b = 'f';\n// x \\\nfork()\nc"),
              ElementsAre("int", "a", ";", "b", "=", "'f'", ";", "c"));
  EXPECT_THAT(lexTexts("a/*/ b */c/**/d"), ElementsAre("a", "c", "d"));
}

TEST(Lexer, ReadsLiterals) {
  EXPECT_THAT(lexTexts(R"x(f("}\"{", '\'', u8"(", L'{') "a" "b"s)x"),
              ElementsAre("f", "(", R"("}\"{")", ",", R"('\'')", ",", "u8\"(\"", ",", "L'{'", ")",
                          "\"a\"", "\"b\"", "s"));
  EXPECT_THAT(lexKinds("u'a' U\"b\" x"),
              ElementsAre(TokenKind::character, TokenKind::string, TokenKind::identifier));
  EXPECT_THAT(lexTexts("xL\"a\" u8 \"b\""), ElementsAre("xL", "\"a\"", "u8", "\"b\""));
}

TEST(Lexer, ReadsRawLiterals) {
  EXPECT_THAT(lexTexts("R\"x(} \" )\" )x\" y"), ElementsAre("R\"x(} \" )\" )x\"", "y"));
  EXPECT_THAT(lexTexts("u8R\"d(z)\")d\" LR\"(\n)\""), ElementsAre("u8R\"d(z)\")d\"", "LR\"(\n)\""));
  // Joining lines inside would change where the literal ends.
  EXPECT_THAT(lexTexts("R\"( )\\\n\" )\" fork(); \"\""),
              ElementsAre("R\"( )\\\n\" )\"", "fork", "(", ")", ";", "\"\""));
  // Lines are joined before the quote.
  EXPECT_THAT(lexTexts("R\\\n\"(a\"b)\" c"), ElementsAre("R\"(a\"b)\"", "c"));
}

TEST(Lexer, DistinguishesSuffixFromPrefix) {
  EXPECT_THAT(lexTexts("\"a\"R\"x(\" fork(); \")x\""),
              ElementsAre("\"a\"", "R", "\"x(\"", "fork", "(", ")", ";", "\")x\""));
  EXPECT_THAT(lexTexts("\"a\" R\"(b\")\""), ElementsAre("\"a\"", "R\"(b\")\""));
}

TEST(Lexer, ReturnsBodyOfLiteral) {
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

TEST(Lexer, ReadsSeparatorsAndExponentsOfNumbers) {
  EXPECT_THAT(lexTexts("1'000'000+1e-7 .5f 0x1F"),
              ElementsAre("1'000'000", "+", "1e-7", ".5f", "0x1F"));
  EXPECT_THAT(lexTexts("1'000'000 + 0x1p-3f"), ElementsAre("1'000'000", "+", "0x1p-3f"));
  EXPECT_THAT(lexKinds("1'0 .5 .x"), ElementsAre(TokenKind::number, TokenKind::number,
                                                 TokenKind::punctuator, TokenKind::identifier));
}

TEST(Lexer, RequiresDigitOrLetterAfterSeparator) {
  EXPECT_THAT(lexTexts("1' R\"x(' fork(); // )x\""),
              ElementsAre("1", "' R\"x('", "fork", "(", ")", ";"));
}

TEST(Lexer, ReadsLongestPunctuator) {
  EXPECT_THAT(lexTexts("a<=b&&c||d->e::f<<1>>2"),
              ElementsAre("a", "<=", "b", "&&", "c", "||", "d", "->", "e", "::", "f", "<<", "1",
                          ">", ">", "2"));
  EXPECT_THAT(
      lexTexts("a<=>b...c->*d.*e<<=f+++g"),
      ElementsAre("a", "<=>", "b", "...", "c", "->*", "d", ".*", "e", "<<=", "f", "++", "+", "g"));
}

TEST(Lexer, ReplacesDigraphs) {
  EXPECT_THAT(lexTexts("a<:0:> <%%> x %:%: y x % : y"),
              ElementsAre("a", "[", "0", "]", "{", "}", "x", "##", "y", "x", "%", ":", "y"));
  EXPECT_THAT(lexPieces("a<:0:>"), ElementsAre("a", "<:", "0", ":>"));
  EXPECT_THAT(lexTexts("v<::x> v<:::x:> v<::>"),
              ElementsAre("v", "<", "::", "x", ">", "v", "[", "::", "x", "]", "v", "[", "]"));
}

TEST(Lexer, ReadsDirectives) {
  const std::string text = "#define A {\\\n  ( // more\nb # c\r\n  # include <x>\r\n";
  EXPECT_THAT(lexPieces(text), ElementsAre("#define A {\\\n  (", "b", "#", "c", "# include <x>"));
  EXPECT_THAT(lexTexts(text), ElementsAre("#define A {  (", "define", "A", "{", "(", "b", "#", "c",
                                          "# include <x>", "include", "<x>"));
}

TEST(Lexer, FlagsTokensOfDirective) {
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

TEST(Lexer, ReadsDirectivesWithCommentsAndSplices) {
  EXPECT_THAT(lexTexts("#/**/inc\\\nlude /* a\n b */ \"x//y\" // z\nq"),
              ElementsAre("# include   \"x//y\"", "include", "\"x//y\"", "q"));
  EXPECT_THAT(lexTexts("/* a */ #if 0\n"), ElementsAre("#if 0", "if", "0"));
  EXPECT_THAT(lexTexts("a /* \n */ # b"), ElementsAre("a", "#", "b"));
  EXPECT_THAT(lexTexts("#define S R\"(\n)\" t\nu"),
              ElementsAre("#define S R\"(\n)\" t", "define", "S", "R\"(\n)\"", "t", "u"));
}

TEST(Lexer, ReadsDigraphDirectives) {
  EXPECT_THAT(
      lexTexts("%:include \"a\"\n%:define F fork\n"),
      ElementsAre("#include \"a\"", "include", "\"a\"", "#define F fork", "define", "F", "fork"));
  EXPECT_THAT(lexTexts("\xEF\xBB\xBF#if 0"), ElementsAre("#if 0", "if", "0"));
  EXPECT_THAT(lexTexts("##x"), ElementsAre("##", "x"));
}

TEST(Lexer, ReadsHeaderNamesVerbatim) {
  EXPECT_THAT(lexTexts("#include <it's//x>\n#include \"a\\\"\nb"),
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

TEST(Lexer, ReportsLinesColumnsAndOffsets) {
  const std::string text = "a\r\n/* x\n */ b\n\"s\\\nt\" c";
  const auto tokens = lex(text).tokens;
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[1].line, 3);
  EXPECT_EQ(tokens[1].column, 5);
  EXPECT_EQ(tokens[2].line, 4);
  EXPECT_EQ(tokens[2].column, 1);
  EXPECT_EQ(tokens[3].line, 5);
  EXPECT_EQ(tokens[3].column, 4);
  EXPECT_THAT(lexPieces(text), ElementsAre("a", "b", "\"s\\\nt\"", "c"));
}

TEST(Lexer, ReportsUnterminated) {
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

TEST(Lexer, AcceptsAnyText) {
  EXPECT_TRUE(rc::check("tokens are in order and within the text", [] {
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
