#include "verify/tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::verify {
namespace {

/// Decodes 16 bits by the definition of the format.
double decode(std::uint16_t bits, int mantissaBits, int bias) {
  const int exponentBits = 15 - mantissaBits;
  const int mantissa = bits & ((1 << mantissaBits) - 1);
  const int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1) {
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  const double fraction = std::ldexp(mantissa, -mantissaBits) + (exponent > 0 ? 1 : 0);
  return sign * std::ldexp(fraction, std::max(exponent, 1) - bias);
}

struct Format {
  int mantissaBits;
  int bias;
  float (*from)(std::uint16_t);
  std::uint16_t (*to)(float);
};

class Half : public testing::TestWithParam<Format> {};

TEST_P(Half, RoundTripsEveryPattern) {
  const Format format = GetParam();
  for (int pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double value = decode(bits, format.mantissaBits, format.bias);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(format.from(bits)));
      const std::uint16_t back = format.to(format.from(bits));
      ASSERT_TRUE(std::isnan(format.from(back)));
      continue;
    }
    ASSERT_EQ(format.from(bits), value) << pattern;
    ASSERT_EQ(format.to(format.from(bits)), bits) << pattern;
  }
}

TEST_P(Half, RoundsToNearestEven) {
  const Format format = GetParam();
  const int infinity = ((1 << (15 - format.mantissaBits)) - 1) << format.mantissaBits;
  const float far = std::numeric_limits<float>::infinity();
  for (int pattern = 0; pattern + 1 < infinity; ++pattern) {
    const auto low = static_cast<std::uint16_t>(pattern);
    const auto high = static_cast<std::uint16_t>(pattern + 1);
    const float middle = format.from(low) / 2 + format.from(high) / 2;
    const std::uint16_t even = (pattern & 1) != 0 ? high : low;
    ASSERT_EQ(format.to(middle), even) << pattern;
    ASSERT_EQ(format.to(-middle), even | 0x8000) << pattern;
    ASSERT_EQ(format.to(std::nextafter(middle, -far)), low) << pattern;
    ASSERT_EQ(format.to(std::nextafter(middle, far)), high) << pattern;
  }
}

TEST_P(Half, OverflowsToInfinity) {
  const Format format = GetParam();
  const auto infinity =
      static_cast<std::uint16_t>(((1 << (15 - format.mantissaBits)) - 1) << format.mantissaBits);
  const float largest = format.from(static_cast<std::uint16_t>(infinity - 1));
  const float step = largest - format.from(static_cast<std::uint16_t>(infinity - 2));
  EXPECT_EQ(format.to(largest + step / 2), infinity);
  EXPECT_EQ(format.to(std::nextafter(largest + step / 2, 0.0F)), infinity - 1);
  EXPECT_EQ(format.to(std::numeric_limits<float>::infinity()), infinity);
  EXPECT_EQ(format.to(-std::numeric_limits<float>::max()), infinity | 0x8000);
}

INSTANTIATE_TEST_SUITE_P(Formats, Half,
                         testing::Values(Format{10, 15, fromHalf, toHalf},
                                         Format{7, 127, fromBfloat, toBfloat}),
                         [](const auto& info) { return info.index == 0 ? "f16" : "bf16"; });

}  // namespace
}  // namespace hone::verify
