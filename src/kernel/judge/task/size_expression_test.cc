#include "kernel/judge/task/size_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

const std::vector<std::pair<std::string, std::int64_t>> kSizes = {{"M", 6}, {"N", 4}, {"Kout", 3}};

double valueFor(std::string_view text) {
  const auto value = evaluateSize(text, kSizes);
  EXPECT_TRUE(value) << value.error().message;
  return value.value_or(-1);
}
std::string sizeError(std::string_view text) {
  const auto value = evaluateSize(text, kSizes);
  return value ? "" : value.error().message;
}

TEST(SizeExpression, KeepsPrecedence) {
  EXPECT_EQ(valueFor("2*M*N"), 48);
  EXPECT_EQ(valueFor(" M + N * Kout "), 18);
  EXPECT_EQ(valueFor("(M+N)*Kout"), 30);
  EXPECT_EQ(valueFor("M-N-1"), 1);
  EXPECT_EQ(valueFor("M/N/2"), 0.75);
  EXPECT_EQ(valueFor("-(M-1)*-2"), 10);
  EXPECT_EQ(valueFor("1.5*M"), 9);
}

TEST(SizeExpression, ReportsErrors) {
  EXPECT_THAT(sizeError("2*Q"), HasSubstr("unknown size 'Q'"));
  EXPECT_THAT(sizeError("2*"), HasSubstr("expected a name or number at the end"));
  EXPECT_THAT(sizeError(""), HasSubstr("expected a name or number at the end"));
  EXPECT_THAT(sizeError("(M+N"), HasSubstr("missing ')'"));
  EXPECT_THAT(sizeError("M N"), HasSubstr("unexpected 'N'"));
  EXPECT_THAT(sizeError("M^2"), HasSubstr("unexpected '^'"));
  EXPECT_THAT(sizeError("M/(N-4)"), HasSubstr("has no finite value"));
  EXPECT_THAT(sizeError(std::string(10'000, '(')), HasSubstr("nested too deeply"));
}

TEST(SizeExpression, NeverCrashes) {
  EXPECT_TRUE(rc::check("any text is a value or a message", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("MNKq()+-*/ .0123456789\n")));
    const auto value = evaluateSize(text, kSizes);
    RC_ASSERT(value || !value.error().message.empty());
  }));
}

}  // namespace
}  // namespace hone::kernel
