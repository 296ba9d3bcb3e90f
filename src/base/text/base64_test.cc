#include "base/text/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace hone {
namespace {

TEST(Base64, MatchesRfc4648Vectors) {
  EXPECT_EQ(toBase64(""), "");
  EXPECT_EQ(toBase64("f"), "Zg==");
  EXPECT_EQ(toBase64("fo"), "Zm8=");
  EXPECT_EQ(toBase64("foo"), "Zm9v");
  EXPECT_EQ(toBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(toBase64(std::string_view("\0\xff\xfe", 3)), "AP/+");
}

TEST(Base64, RoundTrips) {
  EXPECT_TRUE(
      rc::check([](const std::string& bytes) { RC_ASSERT(fromBase64(toBase64(bytes)) == bytes); }));
}

TEST(Base64, RejectsNonCanonicalText) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zh==", "Zm9v=", "Zm 9", "Zm9v\n", "====", "Zg==Zg=="}) {
    EXPECT_FALSE(fromBase64(text)) << text;
  }
}

}  // namespace
}  // namespace hone
