#include "model/problem/tensor_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace hone::model {
namespace {

using testing::HasSubstr;

rc::Gen<ElementType> elements() {
  return rc::gen::map(rc::gen::inRange(0, static_cast<int>(ElementType::i1) + 1),
                      [](int i) { return static_cast<ElementType>(i); });
}

std::string tensorTypeFault(std::string_view text) {
  const auto result = tensorTypeFrom(text);
  return result ? "" : result.error().message;
}

TEST(TensorType, CountsElementsAndBytes) {
  const TensorType type = tensorTypeFrom("512x1024xf16").value();
  EXPECT_EQ(type.shape, (std::vector<std::int64_t>{512, 1024}));
  EXPECT_EQ(type.element, ElementType::f16);
  EXPECT_EQ(type.count(), 512 * 1024);
  EXPECT_EQ(type.bytes(), 512U * 1024U * 2U);
}

TEST(TensorType, ParsesElementTypeAsScalar) {
  const TensorType scalar = tensorTypeFrom("f64").value();
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.count(), 1);
  EXPECT_EQ(scalar.bytes(), 8U);
  EXPECT_EQ(scalar.text(), "f64");
}

TEST(TensorType, MayBeEmpty) { EXPECT_EQ(tensorTypeFrom("0x4xi8").value().bytes(), 0U); }

TEST(TensorTypeFrom, NamesInvalidPart) {
  EXPECT_THAT(tensorTypeFault("4x?xf32"), HasSubstr("'?' is not a size"));
  EXPECT_THAT(tensorTypeFault("4x-1xf32"), HasSubstr("'-1' is not a size"));
  EXPECT_THAT(tensorTypeFault("4xxf32"), HasSubstr("'' is not a size"));
  EXPECT_THAT(tensorTypeFault("4x4xf31"), HasSubstr("unknown element type 'f31'"));
  EXPECT_THAT(tensorTypeFault("4x4"), HasSubstr("unknown element type '4'"));
  EXPECT_NE(tensorTypeFault(""), "");
  EXPECT_NE(tensorTypeFault("x"), "");
}

TEST(TensorTypeFromMlir, ReadsStaticTensorsOnly) {
  EXPECT_EQ(tensorTypeFromMlir("tensor<4x8xbf16>").value(), tensorTypeFrom("4x8xbf16").value());
  EXPECT_EQ(tensorTypeFromMlir("tensor<f32>").value(), tensorTypeFrom("f32").value());
  for (const char* text :
       {"", "f32", "4x8xbf16", "tensor<", "tensor<>", "tensor<4xf32", "tensor<4x?xf32>",
        "tensor<4xindex>", "memref<4xf32>", "vector<4xf32>"}) {
    EXPECT_FALSE(tensorTypeFromMlir(text)) << text;
  }
  EXPECT_EQ(insideTensor("tensor<4x?xf32>"), "4x?xf32");
  EXPECT_EQ(insideTensor("!hal.buffer_view"), "");
}

TEST(TensorTypeFrom, RejectsOverflowingSize) {
  EXPECT_THAT(tensorTypeFault("4000000000x4000000000xi8"), HasSubstr("too large"));
  EXPECT_THAT(tensorTypeFault("2305843009213693952xf32"), HasSubstr("too large"));
  EXPECT_EQ(tensorTypeFault("2305843009213693951xf32"), "");
}

RC_GTEST_PROP(TensorTypeProperty, TextRoundTrips, ()) {
  const auto size = rc::gen::inRange<std::int64_t>(0, 100);
  TensorType type{*rc::gen::container<std::vector<std::int64_t>>(size), *elements()};
  type.shape.resize(std::min<std::size_t>(type.shape.size(), 6));
  const auto again = tensorTypeFrom(type.text());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == type);
  RC_ASSERT(type.bytes() == static_cast<std::size_t>(type.count()) * byteWidth(type.element));
}

RC_GTEST_PROP(TensorTypeProperty, AcceptsAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('0', '1', '9', 'x', '-', '?', 'f', 'i', '3', '2', '8'));
  if (const auto type = tensorTypeFrom(text)) {
    RC_ASSERT(tensorTypeFrom(type->text()).value() == *type);
    RC_ASSERT(type->count() >= 0);
  }
}

RC_GTEST_PROP(ElementTypeProperty, NamesRoundTrip, ()) {
  const ElementType type = *elements();
  RC_ASSERT(elementTypeFrom(nameOf(type)) == type);
  RC_ASSERT(isFloat(type) == nameOf(type).contains('f'));
}

}  // namespace
}  // namespace hone::model
