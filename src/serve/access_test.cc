#include "serve/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/machine.h"

namespace hone::serve {
namespace {

using Decision = Access::Decision;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "0123456789abcdef";

TEST(Access, LoopbackRequiresOwnHostName) {
  const Access access = Access::make("127.0.0.1", "").value();
  for (const char* host :
       {"127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8765", "127.0.0.2", "localhost"}) {
    EXPECT_EQ(access.decide({host, "", ""}), Decision::granted) << host;
  }
  for (const char* host : {"", "evil.example", "evil.example:8765", "localhost.evil.example",
                           "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "[::1", "0.0.0.0"}) {
    EXPECT_EQ(access.decide({host, "", ""}), Decision::wrongHost) << host;
  }
}

TEST(Access, PublicAddressRequiresToken) {
  EXPECT_THAT(Access::make("0.0.0.0", "").error().message, HasSubstr("--token-from"));
  EXPECT_THAT(Access::make("192.168.0.7", "").error().message, HasSubstr("192.168.0.7"));
  const Access access = Access::make("0.0.0.0", kToken).value();
  const std::string name = hostName();
  for (const std::string& host : {std::string("10.0.0.1:80"), std::string("[fe80::1]:80"), name}) {
    EXPECT_EQ(access.decide({host, "", ""}), Decision::needsToken) << host;
    EXPECT_EQ(access.decide({host, "Bearer 0123456789abcdef", ""}), Decision::granted);
    EXPECT_EQ(access.decide({host, "", "a=b; hone-token=0123456789abcdef"}), Decision::granted);
  }
  EXPECT_EQ(access.decide({"evil.example", "Bearer 0123456789abcdef", ""}), Decision::wrongHost);
}

TEST(Access, RejectsWrongTokens) {
  const Access access = Access::make("127.0.0.1", kToken).value();
  for (const char* authorization :
       {"", "Bearer ", "Bearer 0123456789abcde", "0123456789abcdef", "Bearer 0123456789abcdef0",
        "bearer 0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef", "Basic eDp5"}) {
    EXPECT_EQ(access.decide({"localhost", authorization, ""}), Decision::needsToken)
        << authorization;
  }
  for (const char* cookies : {"hone-token=", "hone-token=0123", "x-hone-token=0123456789abcdef",
                              ";;;=", "hone-token", "=0123456789abcdef"}) {
    EXPECT_EQ(access.decide({"localhost", "", cookies}), Decision::needsToken) << cookies;
  }
}

TEST(Access, RejectsWeakTokenWithoutRepeatingIt) {
  for (const char* token : {"short-secret", "0123456789 abcdef", "0123456789abcdef;"}) {
    const auto refused = Access::make("127.0.0.1", token);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::user);
    EXPECT_THAT(refused.error().message, Not(HasSubstr(token)));
  }
}

RC_GTEST_PROP(ConstantTimeEqual, IsEquality, (const std::string& a, const std::string& b)) {
  RC_ASSERT(constantTimeEqual(a, b) == (a == b));
  RC_ASSERT(constantTimeEqual(a, a));
}

}  // namespace
}  // namespace hone::serve
