#include "kernel/library/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/file.h"
#include "kernel/library/example_file.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

const fs::path& shipped() {
  static const fs::path kFolder = sourceFolder() / "examples/techniques";
  return kFolder;
}

constexpr const char* kFile =
    "technique: packing\nlanguage: cpp\ntitle: Panels\nspeedup: 1.5\n\nWhy.\nMore.\n\n"
    "--- before\nint a;\n\nint b;\n--- after\nint c;\n";

class Library : public ::testing::Test {
 protected:
  [[nodiscard]] Examples open(const fs::path& folder = shipped()) const {
    return Examples::open(folder_.path() / "examples.db", folder).value();
  }
  [[nodiscard]] static std::vector<std::string> names(const std::vector<Example>& examples) {
    std::vector<std::string> names;
    for (const Example& example : examples) {
      names.push_back(example.name);
    }
    return names;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-examples-test").value();
};

TEST(ExampleFile, ParsesAllParts) {
  const auto example = exampleFrom(kFile, "panels");
  ASSERT_TRUE(example) << example.error().message;
  EXPECT_EQ(*example, (Example{"panels", "packing", "cpp", "Panels", "Why.\nMore.",
                               "int a;\n\nint b;\n", "int c;\n", 1.5, false}));
}

TEST(ExampleFile, ReportsLineOfError) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"technique: a\ncolour: red\n", "x, line 2: expected technique"},
           {"technique: a\nspeedup: fast\n", "line 2"},
           {"language: cpp\ntitle: t\n\n--- before\na\n--- after\nb\n", "no line 'technique"},
           {"technique: t\nlanguage: cpp\ntitle: t\n\ntext\n--- before\na\n", "--- after"},
           {"", "technique"}}) {
    const auto example = exampleFrom(text, "x");
    ASSERT_FALSE(example) << text;
    EXPECT_THAT(example.error().message, HasSubstr(says));
  }
}

TEST_F(Library, ShipsTechniquesForBothLanguages) {
  const auto all = open().list().value();
  EXPECT_GE(all.size(), 15U);
  EXPECT_THAT(all, Each(Field(&Example::shipped, true)));
  std::set<std::string> techniques;
  std::set<std::string> languages;
  for (const Example& example : all) {
    techniques.insert(example.technique);
    languages.insert(example.language);
    EXPECT_GT(example.text.size(), 200U) << example.name << ": text too short";
    EXPECT_NE(example.before, example.after);
  }
  EXPECT_EQ(languages, (std::set<std::string>{"cpp", "tilelang"}));
  EXPECT_THAT(techniques,
              IsSupersetOf({"shared-memory", "pipelining", "vectorization", "tiling", "packing",
                            "fusion", "tensor-cores", "register-tile", "loop-order",
                            "online-softmax", "cached-exp", "one-pass-statistics", "coalescing",
                            "bank-conflicts", "threads", "compile-flags", "unrolling"}));
}

TEST_F(Library, FindsExamplesByWords) {
  const Examples library = open();
  EXPECT_EQ(names(library.search("bank conflicts", "tilelang", 1).value()).at(0),
            "swizzle-tilelang");
  EXPECT_EQ(
      names(library.search("cached-exp the exponential is taken twice", "cpp", 1).value()).at(0),
      "cached-exp-softmax");
  EXPECT_EQ(names(library.search("packing", "cpp", 1).value()).at(0), "packing-matmul");
}

TEST_F(Library, PrefersLanguage) {
  const Examples library = open();
  for (const char* language : {"cpp", "tilelang"}) {
    const auto found = library.search("fusion bias relu", language, 5).value();
    ASSERT_GE(found.size(), 2U);
    EXPECT_EQ(found[0].language, language);
    EXPECT_EQ(found[0].technique, "fusion");
  }
}

TEST_F(Library, AcceptsAnyQuery) {
  const Examples library = open();
  EXPECT_THAT(library.search("", "cpp", 3).value(), SizeIs(3));
  for (const char* query : {"\"", "a AND OR NOT", "NEAR(", "title:x", "*", "'; DROP TABLE", "\xff",
                            "for (int i = 0; i < n; ++i) { A[i] = B[i]; }", "ümlaut"}) {
    EXPECT_TRUE(library.search(query, "cpp", 3)) << query;
  }
}

RC_GTEST_FIXTURE_PROP(Library, NeverFailsOnAQuery, (const std::string& query)) {
  const auto found = open().search(query, "cpp", 4);
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->size() <= 4U);
}

TEST_F(Library, KeepsUserExamplesWhenShippedOnesChange) {
  const fs::path other = folder_.path() / "other";
  ASSERT_TRUE(makeFolder(other));
  ASSERT_TRUE(writeFile(other / "panels.txt", kFile));
  const Example own{"mine", "tiling", "cpp", "My win", "", "a", "b", 2.5, false};
  {
    Examples library = open();
    ASSERT_TRUE(library.add(own));
    ASSERT_TRUE(library.add(own)) << "must replace the first";
    EXPECT_EQ(library.search("my win", "cpp", 1).value().at(0), own);
  }
  const Examples library = open(other);
  EXPECT_EQ(names(library.list().value()), (std::vector<std::string>{"panels", "mine"}));
}

TEST_F(Library, RejectsExampleWithoutChange) {
  Examples library = open();
  Example same{"same", "tiling", "cpp", "Nothing", "", "int a; // x\n", "int  a;\n", 2.5, false};
  EXPECT_FALSE(changesCode(same));
  ASSERT_FALSE(library.add(same));
  EXPECT_THAT(library.add(same).error().message, HasSubstr("same code before and after"));
  same.after = "#pragma GCC unroll 4\nint a;\n";
  EXPECT_TRUE(changesCode(same));
  same.language = "tilelang";
  same.before = "if a:\n    b\n    c\n";
  same.after = "if a:  # why\n    b\n\n    c\n";
  EXPECT_FALSE(changesCode(same));
  same.after = "if a:\n    b\nc\n";
  EXPECT_TRUE(changesCode(same));
}

TEST_F(Library, ReportsDamagedFile) {
  ASSERT_TRUE(writeFile(folder_.path() / "examples.db", std::string(5000, 'x')));
  const auto library = Examples::open(folder_.path() / "examples.db", shipped());
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().message, HasSubstr("examples.db"));
  EXPECT_FALSE(Examples::open(folder_.path() / "other.db", folder_.path() / "nowhere"));
}

}  // namespace
}  // namespace hone::kernel
