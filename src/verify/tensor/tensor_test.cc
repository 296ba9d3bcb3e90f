#include "verify/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "verify/inputs.h"

namespace hone::verify {
namespace {

using model::ElementType;

TEST(TensorFile, RoundTrips) {
  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  const Tensor tensor = makeInput({{3, 5}, ElementType::bf16}, Values::reals, 1, 0);
  ASSERT_TRUE(writeTensor(folder->path() / "t.bin", tensor));
  const auto back = readTensor(folder->path() / "t.bin", tensor.type);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->type, tensor.type);
  EXPECT_EQ(back->data, tensor.data);
}

TEST(TensorFile, RejectsWrongSizeNamingBoth) {
  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(writeFile(folder->path() / "t.bin", "0123456789"));
  const auto back = readTensor(folder->path() / "t.bin", {{3}, ElementType::f32});
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message,
              testing::EndsWith("t.bin: expected 12 bytes for 3xf32, got 10"));
  EXPECT_FALSE(readTensor(folder->path() / "missing.bin", {{3}, ElementType::f32}));
}

TEST(TensorElements, ReadsChunksFromTheMiddle) {
  const Tensor tensor = makeInput({{1000}, ElementType::i16}, Values::smallIntegers, 1, 0);
  std::vector<double> all(1000);
  readElements(tensor, 0, all);
  std::vector<std::int64_t> part(600);
  readElements(tensor, 300, part);
  for (std::size_t i = 0; i < part.size(); ++i) {
    ASSERT_EQ(part[i], all[300 + i]);
  }
}

TEST(TensorElements, PreservesInt64) {
  const std::int64_t value = (std::int64_t{1} << 60U) + 1;
  Tensor tensor = makeInput({{1}, ElementType::i64}, Values::smallIntegers, 1, 0);
  std::memcpy(tensor.data.data(), &value, 8);
  std::int64_t back = 0;
  readElements(tensor, 0, std::span(&back, 1));
  EXPECT_EQ(back, value);
}

}  // namespace
}  // namespace hone::verify
