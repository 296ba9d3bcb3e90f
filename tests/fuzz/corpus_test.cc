// Replays the corpora of the fuzz targets, and inputs that once crashed or hung parsers elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "fuzz_targets.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

class Corpus : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Corpus, Replays) {
  const fs::path folder = sourceFolder() / "tests/fuzz/corpus" / GetParam().name;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const std::string text = readFile(entry.path()).value();
    GetParam().parse(text);
    // Cut off at every power of two and at both ends.
    for (std::size_t size = 1; size < text.size(); size *= 2) {
      GetParam().parse(std::string_view(text).substr(0, size));
      GetParam().parse(std::string_view(text).substr(size));
    }
    ++files;
  }
  EXPECT_GE(files, 3) << folder;
}

TEST_P(Corpus, SurvivesNestingAndLongLines) {
  for (const char* unit :
       {"(",  "[",    "{", "<", "\"", "'",  "((.*)*)*", "1",       "-",     "x",     "/*", "\\",
        "\n", "\xff", ",", "=", " ",  "a=", "[[",       "{\"a\":", "(and ", "#if\n", "%"}) {
    std::string text;
    while (text.size() < 200'000) {
      text += unit;
    }
    SCOPED_TRACE(unit);
    GetParam().parse(text);
  }
  GetParam().parse("");
  GetParam().parse(std::string_view("\0\0", 2));
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus,
                         testing::ValuesIn(fuzzTargets().begin(), fuzzTargets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hone::test
