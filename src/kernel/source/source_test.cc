#include "kernel/source/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::kernel {
namespace {

using testing::HasSubstr;

class SourceFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, std::string_view text) {
    const auto file = folder_.path() / name;
    EXPECT_TRUE(writeFile(file, text));
    return file;
  }
  std::string errorFor(const std::filesystem::path& file) {
    const auto source = readSource(file);
    return source ? "" : source.error().message;
  }
  ScratchFolder folder_ = ScratchFolder::create("hone-source").value();
};

TEST_F(SourceFile, DeterminesLanguageByExtension) {
  EXPECT_EQ(readSource(write("a.cc", "x"))->language, Language::cpp);
  EXPECT_EQ(readSource(write("a.cpp", "x"))->language, Language::cpp);
  EXPECT_EQ(readSource(write("a.py", "x"))->language, Language::tilelang);
  const Source c = readSource(write("soft max.c", "int x;\n")).value();
  EXPECT_EQ(c.name, "soft max");
  EXPECT_EQ(c.text, "int x;\n");
  EXPECT_EQ(c.flags, std::vector<std::string>{"-xc"});
}

TEST_F(SourceFile, RejectsInvalidFiles) {
  EXPECT_THAT(errorFor(write("a.txt", "x")),
              HasSubstr("expected a kernel file .c, .cc, .cpp or .cxx"));
  EXPECT_THAT(errorFor(folder_.path() / "missing.cc"), HasSubstr("missing.cc"));
  EXPECT_THAT(errorFor(write("a.cc", std::string("a\0b", 3))), HasSubstr("not a text file"));
  EXPECT_THAT(errorFor(write("b.cc", " \n\t\n")), HasSubstr("is empty"));
  EXPECT_THAT(errorFor(write("c.cc", std::string(1 << 21, 'x'))), HasSubstr("2097152 bytes"));
  std::filesystem::create_directory(folder_.path() / "d.cc");
  EXPECT_THAT(errorFor(folder_.path() / "d.cc"), HasSubstr("is a folder"));
}

TEST(SourceKey, DependsOnEverythingBuilt) {
  const Source source{Language::cpp, "a", "text", {"-O3"}};
  Source other = source;
  other.name = "b";
  EXPECT_EQ(source.key(), other.key());
  other.flags = {"-O", "3"};
  EXPECT_NE(source.key(), other.key());
  other = source;
  other.text += " ";
  EXPECT_NE(source.key(), other.key());
  other = source;
  other.language = Language::tilelang;
  EXPECT_NE(source.key(), other.key());
}

TEST(LanguageNames, RoundTrip) {
  EXPECT_EQ(languageFrom("cpp"), Language::cpp);
  EXPECT_EQ(languageFrom("tilelang"), Language::tilelang);
  EXPECT_EQ(languageFrom("cuda"), std::nullopt);
}

}  // namespace
}  // namespace hone::kernel
