#include "kernel/source/canonical_cpp.h"

#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

TEST(CanonicalCpp, KeepsTokensAndLines) {
  EXPECT_EQ(canonicalCpp("int a;  // one\n/* two\n */ int  b = a+++ +a;\n"),
            "int a;\n\nint b = a+++ +a;\n");
  EXPECT_EQ(canonicalCpp("#define F(x) x\n#define G (x)\n"), "#define F(x) x\n#define G (x)\n");
  EXPECT_EQ(canonicalCpp("#define F \\\n  1 /* a\n b */ + 2\nint c;\n"),
            "#define F 1 + 2\n\n\nint c;\n");
  EXPECT_EQ(canonicalCpp("x = a>>b; v<v<int>>c;\n"), "x = a>>b; v<v<int>>c;\n");
}

TEST(CanonicalCpp, ReplacesSpellingsThatLexersDisagreeOn) {
  EXPECT_EQ(canonicalCpp("int a = 1'000;\n"), "int a = 1000;\n");
  EXPECT_EQ(canonicalCpp("<: :> %:\n"), "[ ] #\n");
  EXPECT_EQ(canonicalCpp("%:define X\n"), "# define X\n");
  EXPECT_EQ(canonicalCpp("a = R\"x(1\\\n\"2\")x\"_s + u8R\"(?\?=)\";\n"),
            "a = \"1\\\\\\n\\\"2\\\"\"_s\n+ u8\"?\\?=\";\n");
  EXPECT_EQ(canonicalCpp("?\?=include <x>\n\"a?\?/\";\n"), "? ?=include <x>\n\"a?\\?/\";\n");
  EXPECT_EQ(canonicalCpp("fo\\\nrk();\nx;\n"), "fork();\n\nx;\n");
}

TEST(CanonicalCpp, DropsPositions) {
  EXPECT_EQ(canonicalCpp("#line 7 \"x.h\"\n# 1 \"y.h\" 1 3\nint a;\n"), "\n\nint a;\n");
  EXPECT_EQ(canonicalCpp("%:\\\nli\\\nne 7\nint a;\n"), "\n\n\nint a;\n");
}

TEST(CanonicalCpp, CreatesNoDirectivesOrSplices) {
  EXPECT_EQ(canonicalCpp("int x; /*\n*/ # 1 \"y.h\"\nz;\n"), "int x; #\n1 \"y.h\"\nz;\n");
  EXPECT_EQ(canonicalCpp("#define A \\ // x\nint y;\n"), "#define A @\nint y;\n");
  EXPECT_EQ(canonicalCpp("#if 0\nit's a \\ \"test\n#endif\n"), "#if 0\nit'\n#endif\n");
  EXPECT_EQ(canonicalCpp("int \\u00e9;\n"), "int \\u00e9;\n");
}

}  // namespace
}  // namespace hone::kernel
