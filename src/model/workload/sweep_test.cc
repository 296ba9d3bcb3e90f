#include "model/workload/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/problem/test_problems.h"

namespace hone::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::int64_t> sizes(std::string_view text) { return sizesFrom("--m", text).value(); }

std::string sizeFault(std::string_view text) {
  const auto result = sizesFrom("--problem-m", text);
  return result ? "" : result.error().message;
}

TEST(Sizes, ParsesListsAndRanges) {
  EXPECT_THAT(sizes("128"), ElementsAre(128));
  EXPECT_THAT(sizes("128,256, 512"), ElementsAre(128, 256, 512));
  EXPECT_THAT(sizes("64:1024:128"), ElementsAre(64, 192, 320, 448, 576, 704, 832, 960));
  EXPECT_THAT(sizes("128:1280:128"), SizeIs(10));
  EXPECT_THAT(sizes("3:5"), ElementsAre(3, 4, 5));
  EXPECT_THAT(sizes("7:7:9"), ElementsAre(7));
  EXPECT_THAT(sizes("64,128:512:128"), ElementsAre(64, 128, 256, 384, 512));
}

TEST(Sizes, AppearOnce) { EXPECT_THAT(sizes("128,64:192:64,64"), ElementsAre(128, 64, 192)); }

TEST(Sizes, ErrorsNameTheArgument) {
  for (const std::string_view text : {"", ",", "a", "1:", ":5", "1:2:3:4", "0", "-3", "1:9:0",
                                      "9:1:1", "1.5", "1:9223372036854775807:1", "1,,2"}) {
    EXPECT_THAT(sizeFault(text), StartsWith("--problem-m: ")) << text;
  }
  EXPECT_THAT(sizeFault("9:1:1"), HasSubstr("invalid range '9:1:1'"));
  EXPECT_THAT(sizeFault("1:100000:1"), HasSubstr("more than 10000 sizes"));
}

TEST(MatmulTypes, ParsesNamesAndTriples) {
  using enum ElementType;
  EXPECT_THAT(matmulTypesFrom("--type", "f32,f16,bf16,i8,f16_f16_f32,f32").value(),
              ElementsAre(MatmulTypes{f32, f32, f32}, MatmulTypes{f16, f16, f16},
                          MatmulTypes{bf16, bf16, bf16}, MatmulTypes{i8, i8, i32},
                          MatmulTypes{f16, f16, f32}));
  for (const std::string_view text : {"", "f31", "f16_f16", "f16_f16_f16_f16", "f32,"}) {
    const auto types = matmulTypesFrom("--type", text);
    ASSERT_FALSE(types) << text;
    EXPECT_THAT(types.error().message, StartsWith("--type: ")) << text;
  }
}

std::vector<std::string> listNames(const std::vector<Problem>& problems) {
  std::vector<std::string> names;
  for (const Problem& problem : problems) {
    names.push_back(nameOf(problem));
  }
  return names;
}

TEST(Sweep, IsTheCrossProduct) {
  Sweep sweep;
  sweep.types = matmulTypesFrom("--type", "f32,i8").value();
  sweep.m = {1, 2};
  sweep.k = {5, 6};
  EXPECT_THAT(
      listNames(expandMatmuls(sweep).value()),
      ElementsAre("matmul_1x256x5_f32", "matmul_1x256x6_f32", "matmul_2x256x5_f32",
                  "matmul_2x256x6_f32", "matmul_1x256x5_i8_i8_i32", "matmul_1x256x6_i8_i8_i32",
                  "matmul_2x256x5_i8_i8_i32", "matmul_2x256x6_i8_i8_i32"));
  sweep = {.batch = {0, 4}, .m = {1}, .n = {2}, .k = {3}};
  EXPECT_THAT(listNames(expandMatmuls(sweep).value()),
              ElementsAre("matmul_1x2x3_f32", "batch_matmul_4x1x2x3_f32"));
}

TEST(Sweep, RejectsTooManyOrTooLargeProblems) {
  Sweep sweep;
  sweep.m = sweep.n = sizes("1:1000");
  EXPECT_THAT(expandMatmuls(sweep).error().message, HasSubstr("more than 10000 problems"));
  sweep = {.m = {INT64_MAX}};
  EXPECT_THAT(expandMatmuls(sweep).error().message, HasSubstr("m must be at most"));
}

RC_GTEST_PROP(Sizes, ParsesOrNamesAnyBytes, ()) {
  const auto text = *rc::gen::oneOf(rc::gen::string<std::string>(),
                                    rc::gen::container<std::string>(rc::gen::element(
                                        '0', '1', '9', ':', ',', '-', ' ', 'f', '_')));
  const auto list = sizesFrom("--m", text);
  RC_ASSERT((list ? !list->empty() : list.error().message.starts_with("--m: ")));
  const auto types = matmulTypesFrom("--t", text);
  RC_ASSERT((types ? !types->empty() : types.error().message.starts_with("--t: ")));
}

RC_GTEST_PROP(Sizes, RangeIncludesAllStepsUpToEnd, ()) {
  const auto start = *rc::gen::inRange<std::int64_t>(1, 1000);
  const auto length = *rc::gen::inRange<std::int64_t>(0, 1000);
  const auto step = *rc::gen::inRange<std::int64_t>(1, 300);
  const auto list = sizes(fmt::format("{}:{}:{}", start, start + length, step));
  RC_ASSERT(list.front() == start);
  RC_ASSERT(list.back() <= start + length);
  RC_ASSERT(list.back() + step > start + length);
  for (std::size_t i = 1; i < list.size(); ++i) {
    RC_ASSERT(list[i] - list[i - 1] == step);
  }
}

}  // namespace
}  // namespace hone::model
