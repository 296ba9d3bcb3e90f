#include "base/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/file.h"

namespace hone {
namespace {

TEST(Hash, MatchesKnownVectors) {
  EXPECT_EQ(hashBytes(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashBytes("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashBytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashBytes(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, PadsEveryLengthAroundBlockSize) {
  // Expected value: sha256sum over the digests of 0 to 130 times 'x', one per line.
  std::string all;
  for (std::size_t length = 0; length <= 130; ++length) {
    all += hashBytes(std::string(length, 'x')) + "\n";
  }
  EXPECT_EQ(hashBytes(all), "7880f77b654302a7082dd571fd4d0f44d583e661fa622b42404576e380865e8e");
}

RC_GTEST_PROP(HashProperty, PartsHashLikeConcatenation, (const std::vector<std::string>& parts)) {
  Hasher hasher;
  std::string whole;
  for (const std::string& part : parts) {
    hasher.bytes(part);
    whole += part;
  }
  RC_ASSERT(hasher.hex() == hashBytes(whole));
}

RC_GTEST_PROP(HashProperty, SplitTextHashesLikeWhole, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 1000);
  const auto cut = *rc::gen::inRange<std::size_t>(0, size + 1);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += static_cast<char>(i * 31);
  }
  const std::string_view view = text;
  RC_ASSERT(Hasher().bytes(view.substr(0, cut)).bytes(view.substr(cut)).hex() == hashBytes(text));
}

RC_GTEST_PROP(HashProperty, SeparatesFields,
              (const std::vector<std::string>& a, const std::vector<std::string>& b)) {
  const auto computeKey = [](const std::vector<std::string>& fields) {
    Hasher hasher;
    for (const std::string& field : fields) {
      hasher.field(field);
    }
    return hasher.hex();
  };
  RC_ASSERT((computeKey(a) == computeKey(b)) == (a == b));
}

TEST(Hash, FieldBoundariesMatter) {
  EXPECT_NE(Hasher().field("ab").field("c").hex(), Hasher().field("a").field("bc").hex());
  EXPECT_NE(Hasher().field("").hex(), Hasher().hex());
}

TEST(HashOfFile, EqualsHashOfContents) {
  const ScratchFolder folder = ScratchFolder::create().value();
  const std::string content(200'000, 'q');
  ASSERT_TRUE(writeFile(folder.path() / "f", content));
  EXPECT_EQ(hashFile(folder.path() / "f").value(), hashBytes(content));
  ASSERT_TRUE(writeFile(folder.path() / "empty", ""));
  EXPECT_EQ(hashFile(folder.path() / "empty").value(), hashBytes(""));
}

TEST(HashOfFile, FailsForUnreadableFile) {
  const ScratchFolder folder = ScratchFolder::create().value();
  const auto missing = hashFile(folder.path() / "missing");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("missing"), std::string::npos);
  EXPECT_FALSE(hashFile(folder.path())) << "a folder has no contents";
}

TEST(SeedFrom, DependsOnEveryPart) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* part : {"", "lhs", "rhs", "1", "2"}) {
      seeds.insert(seedFrom(seed, part));
    }
  }
  EXPECT_EQ(seeds.size(), 100U);
  EXPECT_EQ(seedFrom(3, "lhs"), seedFrom(3, "lhs"));
}

}  // namespace
}  // namespace hone
