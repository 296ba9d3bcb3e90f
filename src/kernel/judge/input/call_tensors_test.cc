#include "kernel/judge/input/call_tensors.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

using model::ElementType;

Shape smallShape(ElementType type = ElementType::f32) {
  Shape shape;
  shape.sizes = {{"N", 10}};
  shape.inputs = {{"A", {{10}, type}}};
  shape.outputs = {{"C", {{2, 5}, type}}};
  return shape;
}

/// Accesses the tensor files as a worker does.
class TensorFiles : public testing::TestWithParam<Placement> {
 protected:
  [[nodiscard]] std::string path(const std::string& id) const {
    return (folder_.path() / id).string();
  }
  void poke(const std::string& id, std::size_t at, std::string_view bytes) const {
    std::string content = readFile(path(id)).value();
    content.replace(at, bytes.size(), bytes);
    const int fd = ::open(path(id).c_str(), O_WRONLY);
    EXPECT_EQ(::pwrite(fd, content.data(), content.size(), 0),
              static_cast<ssize_t>(content.size()));
    ::close(fd);
  }
  [[nodiscard]] std::size_t offset() const {
    return GetParam() == Placement::begin ? 0 : 4096 - 40;
  }
  void writeOutput() const { poke("t.C", offset(), std::string(40, '\0')); }

  ScratchFolder folder_ = ScratchFolder::create("hone-tensors").value();
  CallTensors tensors_ =
      CallTensors::create(folder_.path(), "t", smallShape(), GetParam(), false).value();
  std::vector<verify::Tensor> inputs_ = makeInputs(smallShape(), ValueKind::unit, 1);
  Random random_{1};
};

INSTANTIATE_TEST_SUITE_P(Placements, TensorFiles,
                         testing::Values(Placement::begin, Placement::end));

TEST_P(TensorFiles, HoldInputsAtTheRequestedOffset) {
  tensors_.fill(inputs_, random_);
  TensorsRequest shared;
  tensors_.describe(shared);
  const nlohmann::json list = toJson(shared).at("tensors");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["id"], "t.A");
  EXPECT_EQ(list[0]["name"], "A");
  EXPECT_EQ(list[0]["type"], "10xf32");
  EXPECT_EQ(list[0]["role"], "input");
  EXPECT_EQ(list[0]["offset"], offset());
  const std::string content = readFile(list[0]["file"].get<std::string>()).value();
  EXPECT_EQ(content.size(), 4096u);
  EXPECT_EQ(std::memcmp(content.data() + offset(), inputs_[0].data.data(), 40), 0);
  const nlohmann::json request = toJson(tensors_.callRequest());
  EXPECT_EQ(
      request,
      (nlohmann::json{{"do", "call"}, {"inputs", {"t.A"}}, {"outputs", {"t.C"}}, {"sizes", {10}}}));
}

TEST_P(TensorFiles, DetectUnwrittenElements) {
  tensors_.fill(inputs_, random_);
  EXPECT_THAT(*tensors_.findUnwritten(tensors_.outputs()), "does not write C[0,0]");
  writeOutput();
  EXPECT_EQ(tensors_.findUnwritten(tensors_.outputs()), std::nullopt);
  EXPECT_EQ(tensors_.findStrayWrite(inputs_), std::nullopt);
  tensors_.fill(inputs_, random_);
  poke("t.C", offset(), std::string(28, '\0'));
  EXPECT_THAT(*tensors_.findUnwritten(tensors_.outputs()), "does not write C[1,2]");
}

TEST_P(TensorFiles, DetectStrayWrites) {
  tensors_.fill(inputs_, random_);
  writeOutput();
  poke("t.A", offset() + 4, "xxxx");
  EXPECT_EQ(tensors_.findStrayWrite(inputs_), "writes to its input A");
  tensors_.fill(inputs_, random_);
  const std::size_t outside = GetParam() == Placement::begin ? 40 : offset() - 4;
  poke("t.C", outside, std::string(4, '\0'));
  EXPECT_EQ(tensors_.findStrayWrite(inputs_), "writes outside of C");
}

TEST(Marks, AreFreshNans) {
  const ScratchFolder folder = ScratchFolder::create("hone-tensors").value();
  Random random(3);
  for (const ElementType type :
       {ElementType::f64, ElementType::f32, ElementType::f16, ElementType::bf16}) {
    auto tensor = SharedTensor::create(folder.path() / "m", {{4}, type}, Placement::begin).value();
    tensor.markUnwritten(random);
    const std::vector<std::byte> first(tensor.data().begin(), tensor.data().end());
    const verify::Tensor read{{{4}, type}, first};
    EXPECT_TRUE(std::isnan(verify::toNumbers<double>(read)[0])) << nameOf(type);
    tensor.markUnwritten(random);
    EXPECT_FALSE(std::ranges::equal(tensor.data(), first)) << nameOf(type);
  }
}

TEST(InputValues, DependOnlyOnTheSeed) {
  const Shape shape = smallShape();
  for (const ValueKind kind : {ValueKind::unit, ValueKind::positive, ValueKind::rows}) {
    const auto once = makeInputs(shape, kind, 5);
    EXPECT_EQ(makeInputs(shape, kind, 5)[0].data, once[0].data);
  }
  EXPECT_NE(makeInputs(shape, ValueKind::unit, 6)[0].data,
            makeInputs(shape, ValueKind::unit, 5)[0].data);
  for (const double value :
       verify::toNumbers<double>(makeInputs(shape, ValueKind::positive, 5)[0])) {
    EXPECT_GT(value, 0);
  }
}

TEST(InputValues, CoverAllKindsOfSpecialRows) {
  Shape shape;
  shape.inputs = {{"A", {{200, 50}, ElementType::f32}}};
  const auto values = verify::toNumbers<double>(makeInputs(shape, ValueKind::rows, 1)[0]);
  const auto rows = [&](auto fits) {
    int count = 0;
    for (std::size_t row = 0; row < 200; ++row) {
      count += std::ranges::all_of(std::span(values).subspan(row * 50, 50), fits) ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(rows([](double v) { return v == 0; }), 0);
  EXPECT_GT(rows([](double v) { return v <= 0 && v > -1; }), 0);
  EXPECT_GT(rows([](double v) { return v == 0.5; }), 0);
  EXPECT_GT(rows([](double v) { return std::abs(v) < 1e-6; }), 0);
  EXPECT_TRUE(std::ranges::any_of(values, [](double v) { return v > 500; }));
  EXPECT_TRUE(std::ranges::any_of(values, [](double v) { return v > 0 && v < 1e-40; }));
}

TEST(InputValues, KeepIntegersSmall) {
  const Shape shape = smallShape(ElementType::i32);
  for (const double value : verify::toNumbers<double>(makeInputs(shape, ValueKind::rows, 1)[0])) {
    EXPECT_LE(std::abs(value), 8);
    EXPECT_EQ(value, std::floor(value));
  }
}

TEST(InputValues, KeepIntegersInRange) {
  Shape shape;
  shape.inputs = {{"ids", {{64}, ElementType::i32}, IntegerRange{3, 50'000}},
                  {"one", {{9}, ElementType::i64}, IntegerRange{-2, -1}}};
  for (const ValueKind kind : {ValueKind::unit, ValueKind::positive, ValueKind::rows}) {
    const auto inputs = makeInputs(shape, kind, 1);
    const auto ids = verify::toNumbers<double>(inputs[0]);
    EXPECT_EQ(std::ranges::min(ids), 3) << "both ends are drawn";
    EXPECT_EQ(std::ranges::max(ids), 49'999);
    EXPECT_EQ(verify::toNumbers<double>(inputs[1]), std::vector<double>(9, -2));
  }
}

}  // namespace
}  // namespace hone::kernel
