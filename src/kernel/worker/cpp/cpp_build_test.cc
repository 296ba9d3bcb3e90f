#include "kernel/worker/cpp/cpp_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/process/file_rules.h"
#include "kernel/source/test_kernels.h"
#include "kernel/worker/cpp/cpp_diagnostics.h"
#include "kernel/worker/cpp/cpp_flags.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class CppBuilderTest : public testing::Test {
 protected:
  CppBuilt build(const std::string& text, const std::vector<std::string>& flags = {}) {
    return builder_.build(text, flags).value();
  }
  ScratchFolder folder_ = ScratchFolder::create("hone-build").value();
  CppBuilder builder_ =
      CppBuilder::open(folder_.path() / "built", {std::chrono::seconds(120), 4ULL << 30U}).value();
};

TEST_F(CppBuilderTest, BuildsALibraryOnce) {
  const CppBuilt first = build(kMatmulKernel, {"-O3"});
  ASSERT_TRUE(first.ok()) << first.diagnostics;
  EXPECT_TRUE(std::filesystem::exists(first.library));
  EXPECT_GT(first.cpuNs, 0);
  EXPECT_EQ(first.artifact.size(), 64u);
  const CppBuilt again = build(kMatmulKernel, {"-O3"});
  EXPECT_EQ(again.library, first.library);
  EXPECT_EQ(again.wallNs, first.wallNs);  // cached
  EXPECT_EQ(again.remarks, first.remarks);
  EXPECT_NE(build(kMatmulKernel).library, first.library);
}

TEST_F(CppBuilderTest, CompilerFindsNoOtherFiles) {
  if (FileRules::version() == 0) {
    GTEST_SKIP() << "no Landlock on this system";
  }
  const auto blob = folder_.path() / "a file";
  ASSERT_TRUE(writeFile(blob, "int secret_word;\n"));
  const std::string name = "\"" + blob.string() + "\"";
  const std::string absent = "\"" + (folder_.path() / "absent").string() + "\"";
  const auto failure = [&](const std::string& text) {
    const CppBuilt built = build(text);
    EXPECT_EQ(built.outcome, Outcome::compileFailed) << text;
    EXPECT_THAT(built.diagnostics, testing::Not(HasSubstr("secret_word"))) << text;
    return built.message;
  };
  EXPECT_THAT(failure("#include " + name + "\n"), HasSubstr("No such file or directory"));
  EXPECT_THAT(failure("#define FILE " + name + "\n#include FILE\n"), StartsWith("line 1: "));
  EXPECT_THAT(failure("asm(\".inc\" \"bin \\" + name.substr(0, name.size() - 1) + "\\\"\");"),
              HasSubstr("file not found"));
  // A file that must not be read looks like one that does not exist.
  const auto hasInclude = [&](const std::string& file) {
    return build("#if __has_include(" + file + ")\nint f;\n#endif\n").artifact;
  };
  EXPECT_EQ(hasInclude(name), hasInclude(absent));
  EXPECT_NE(hasInclude(name), hasInclude("<cmath>"));
}

TEST_F(CppBuilderTest, CompilerSeesOnlyAllowedVariables) {
  // A folder of headers in the environment must not be used.
  ASSERT_TRUE(writeFile(folder_.path() / "from_environment.h", "int f;\n"));
  ::setenv("CPATH", folder_.path().c_str(), 1);
  EXPECT_EQ(build("#include <from_environment.h>\n").outcome, Outcome::compileFailed);
  ::unsetenv("CPATH");
}

TEST_F(CppBuilderTest, BuildsInFolderWithoutOtherFiles) {
  const CppBuilt built = build(kMatmulKernel);
  const auto folder = built.library.parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(build("#include \"../" + folder.filename().string() + ".json\"\n").outcome,
            Outcome::compileFailed);
}

TEST_F(CppBuilderTest, LimitsSizeOfLibrary) {
  EXPECT_EQ(build("asm(\".data; .fill 0x40000000, 1, 1\");").outcome, Outcome::compileFailed);
}

TEST_F(CppBuilderTest, LimitsExpansionOfMacros) {
  std::string text = "#define A0 int a_name_that_is_longer_than_most;\n";
  for (int i = 1; i < 7; ++i) {
    const std::string before = " A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i);
    for (int n = 0; n < 10; ++n) {
      text += before;
    }
    text += "\n";
  }
  EXPECT_THAT(build(text + "A6\n").message, HasSubstr("expands to more than 16 MB"));
}

TEST_F(CppBuilderTest, ReportsInvalidBytesInMessages) {
  const CppBuilt built = build("#error caf\xe9\n");
  EXPECT_EQ(built.outcome, Outcome::compileFailed);
  EXPECT_EQ(built.message, "line 1: error: #error caf\xef\xbf\xbd");
  EXPECT_EQ(build("#error caf\xe9\n").message, built.message);
}

TEST_F(CppBuilderTest, ReportsErrorsInHeadersAtTheCall) {
  const CppBuilt built = build(
      "#include <algorithm>\n#include <list>\nvoid f(std::list<int>& a) {\n"
      "  std::sort(a.begin(), a.end());\n}\n");
  EXPECT_THAT(built.message, testing::MatchesRegex("line 4: error: .*\\(in stl_algo.h\\)"));
}

TEST(ParseDependencies, UnescapesLikeMake) {
  EXPECT_THAT(parseDependencies("a.o: b.cc \\\n c\\ d.h \\\n e$$.h\n"),
              testing::ElementsAre("b.cc", "c d.h", "e$.h"));
  EXPECT_THAT(parseDependencies("nothing"), testing::IsEmpty());
}

TEST_F(CppBuilderTest, IgnoresCommentsInArtifact) {
  const CppBuilt plain = build(kMatmulKernel);
  const CppBuilt commented = build(std::string(kMatmulKernel) + "// more\n");
  EXPECT_NE(plain.library, commented.library);
  EXPECT_EQ(plain.artifact, commented.artifact);
}

TEST_F(CppBuilderTest, ReportsFirstErrorWithLine) {
  const CppBuilt built = build("int f() {\n  return x;\n}\nint g() { return y; }\n");
  EXPECT_EQ(built.outcome, Outcome::compileFailed);
  EXPECT_THAT(built.message, StartsWith("line 2: error: 'x' was not declared"));
  EXPECT_THAT(built.diagnostics, HasSubstr("'y' was not declared"));
  EXPECT_EQ(build("int f() {\n  return x;\n}\nint g() { return y; }\n").message, built.message);
}

TEST_F(CppBuilderTest, ReportsUndefinedSymbols) {
  const CppBuilt built =
      build("extern \"C\" void other(); extern \"C\" void kernel() { other(); }");
  EXPECT_EQ(built.outcome, Outcome::compileFailed);
  EXPECT_THAT(built.message, HasSubstr("undefined reference to `other'"));
}

TEST_F(CppBuilderTest, BuildsC) {
  EXPECT_TRUE(
      build("void kernel(const float* restrict a, float* c) { int new = 1; c[0] = new; }", {"-xc"})
          .ok());
}

TEST_F(CppBuilderTest, ReportsVectorizedLoops) {
  const std::string text =
      "extern \"C\" void kernel(const float* a, float* c, long n) {\n"
      "  for (long i = 0; i < n; ++i) c[i] = a[i] * 2;\n"
      "  for (long i = 1; i < n; ++i)\n    c[i] = c[i - 1] * 2 + a[i];\n}\n";
  const CppBuilt built = build(text, {"-O3"});
  EXPECT_THAT(built.remarks, Contains(StartsWith("line 2: loop vectorized using")));
  EXPECT_THAT(built.remarks, Contains(StartsWith("line 3: ")));
  EXPECT_LE(built.remarks.size(), 30u);
}

TEST_F(CppBuilderTest, StopsEndlessCompile) {
  auto quick = CppBuilder::open(folder_.path() / "quick", {std::chrono::milliseconds(1500), 0});
  const std::string text =
      "template <int N> struct S { static constexpr int v = S<N - 1>::v + S<N - 2>::v * 2; };\n"
      "constexpr long f(long n) { long s = 0; while (n != 1) s += n++; return s; }\n"
      "constexpr long x = f(2);\n";
  const CppBuilt built =
      quick
          ->build(text, std::vector<std::string>{"-fconstexpr-ops-limit=9000000000000000000",
                                                 "-fconstexpr-loop-limit=2147483647"})
          .value();
  EXPECT_EQ(built.outcome, Outcome::compileTimeout);
  EXPECT_THAT(built.message, HasSubstr("stopped after"));
}

TEST_F(CppBuilderTest, RejectsFlagsThatDoMoreThanCompile) {
  const CppBuilt built = build(kMatmulKernel, {"-O3", "-fplugin=./evil.so"});
  EXPECT_EQ(built.outcome, Outcome::invalid);
  EXPECT_THAT(built.message, HasSubstr("'-fplugin=./evil.so' is not allowed"));
  for (const char* flag : {"-o/tmp/x",
                           "-Wl,-rpath,x",
                           "-include",
                           "/etc/passwd",
                           "-B.",
                           "-wrapper",
                           "-specs=x",
                           "-fdump-tree-all=/x",
                           "@file",
                           "-I/",
                           "-L.",
                           "-lssl",
                           "",
                           "-fprofile-generate",
                           "-O3 -o",
                           "--param",
                           "-save-temps",
                           "-M",
                           "-fsyntax-only",
                           "-fpreprocessed",
                           "-fdirectives-only",
                           "-fmodules-ts",
                           "-E",
                           "-c",
                           "-x",
                           "-fdiagnostics-format=json",
                           "-fopt-info",
                           "-flto",
                           "-fno-PIE",
                           "-m32",
                           "-D",
                           "-D=1",
                           "-O9",
                           "-std=",
                           "-finput-charset=UTF-7",
                           "-Ofast x"}) {
    EXPECT_NE(explainRejectedFlag(flag), "") << flag;
  }
  for (const char* flag : {"-O3",
                           "-Ofast",
                           "-ffast-math",
                           "-fopenmp",
                           "-funroll-loops",
                           "-mprefer-vector-width=512",
                           "-march=native",
                           "-DN=4",
                           "-std=c++20",
                           "--param=max-unroll-times=4",
                           "-fno-math-errno",
                           "-DF(x)=x",
                           "-UN",
                           "-mno-avx512f",
                           "-fno-exceptions",
                           "-ftree-vectorize",
                           "-Os",
                           "-fvect-cost-model=unlimited",
                           "-fno-builtin",
                           "-mtune=skylake-avx512"}) {
    EXPECT_EQ(explainRejectedFlag(flag), "") << flag;
  }
}

TEST(VectorRemarks, ParsesCompilerOutput) {
  const auto remarks = vectorRemarks(
      "/x/k.cc:7:23: optimized: loop vectorized using 32 byte vectors\n"
      "/x/k.cc:7:23: optimized: loop vectorized using 32 byte vectors\n"
      "/usr/include/c++/12/bits/stl_algo.h:9:1: optimized: loop vectorized using 16 byte vectors\n"
      "/x/k.cc:9:23: missed: couldn't vectorize loop\n"
      "/x/k.cc:10:5: missed: not vectorized: complicated access pattern.\n"
      "/x/k.cc:11:5: missed: statement clobbers memory: foo ();\n",
      "k.cc");
  EXPECT_THAT(remarks,
              testing::ElementsAre("line 7: loop vectorized using 32 byte vectors",
                                   "line 9: couldn't vectorize loop",
                                   "line 10: not vectorized: complicated access pattern."));
}

TEST(CompileErrors, AreAboutTheSourceOnly) {
  const CppCompiler compiler = CppCompiler::open({std::chrono::seconds(120)}).value();
  const auto first = [&](const std::string& text) {
    return firstCompileError(filterDiagnostics(text, compiler));
  };
  const std::string own = "/tmp/x/kernel.cc:7:3: error: 'y' was not declared in this scope\n";
  EXPECT_EQ(first(own), "line 7: error: 'y' was not declared in this scope");
  const std::string other =
      "In file included from /tmp/x/kernel.cc:3:\n/etc/secret:1:1: error: 'root' is not a type\n";
  EXPECT_EQ(first(other), "");
  EXPECT_EQ(first(other + own), "line 7: error: 'y' was not declared in this scope");
  EXPECT_EQ(first("/etc/my_kernel.cc:1: error: /tmp/x/other"), "");
  EXPECT_EQ(first("/tmp/cc1.o: in function `f':\n: undefined reference to `g'"),
            "linker error: undefined reference to `g'");
  EXPECT_EQ(first("warning: nothing"), "");
}

}  // namespace
}  // namespace hone::kernel
