#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::test {

/// An input, output or weight of a test model.
struct OnnxTensor {
  std::string name;
  std::vector<std::string> shape;  ///< sizes, or names of dynamic dimensions
  std::vector<float> values{};     ///< of a weight; empty for an input or output
  bool integers = false;           ///< i64 instead of f32
};

/// An attribute with one of the values.
struct OnnxAttribute {
  std::string name;
  std::string text{};
  std::vector<std::int64_t> integers{};
  std::int64_t integer = 0;
};

struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<OnnxAttribute> attributes{};
};

struct OnnxModel {
  std::string graph = "main";
  std::vector<OnnxTensor> inputs;
  std::vector<OnnxTensor> outputs;
  std::vector<OnnxTensor> weights;
  std::vector<OnnxNode> nodes;
  std::int64_t opset = 17;
  std::int64_t irVersion = 8;  ///< of the file format
};

/// Returns the bytes of an .onnx file.
[[nodiscard]] std::string encode(const OnnxModel& model);

/// Returns relu(x * w + b) with a dynamic batch: `x` has shape [batch, 8], the output `y` [batch,
/// 4].
[[nodiscard]] OnnxModel denseLayer();

/// Returns rows of a table of `rows` rows, selected by the integer input `ids` of shape [1, 6].
[[nodiscard]] OnnxModel embedding(std::int64_t rows);

}  // namespace hone::test
