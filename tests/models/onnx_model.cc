#include "tests/models/onnx_model.h"

#include <bit>
#include <cstring>

namespace hone::test {
namespace {

constexpr std::int64_t kFloat = 1;
constexpr std::int64_t kInt64 = 7;

// The wire format of protocol buffers.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) {
    bytes += static_cast<char>((value & 0x7fU) | 0x80U);
  }
  return bytes + static_cast<char>(value);
}

std::string number(unsigned field, std::int64_t value) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
}

std::string bytes(unsigned field, const std::string& content) {
  return varint(field << 3U | 2U) + varint(content.size()) + content;
}

bool isSize(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

std::string valueInfo(const OnnxTensor& tensor) {
  std::string shape;
  for (const std::string& size : tensor.shape) {
    shape += bytes(1, isSize(size) ? number(1, std::stoll(size)) : bytes(2, size));
  }
  const std::string type = number(1, tensor.integers ? kInt64 : kFloat) + bytes(2, shape);
  return bytes(1, tensor.name) + bytes(2, bytes(1, type));
}

std::string weight(const OnnxTensor& tensor) {
  std::string raw;
  const auto append = [&](auto bits) {
    raw.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  };
  for (const float value : tensor.values) {
    if (tensor.integers) {
      append(static_cast<std::int64_t>(value));
    } else {
      append(std::bit_cast<std::uint32_t>(value));
    }
  }
  std::string text;
  for (const std::string& size : tensor.shape) {
    text += number(1, std::stoll(size));
  }
  return text + number(2, tensor.integers ? kInt64 : kFloat) + bytes(8, tensor.name) +
         bytes(9, raw);
}

std::string attribute(const OnnxAttribute& attribute) {
  constexpr std::int64_t kInteger = 2;
  constexpr std::int64_t kString = 3;
  constexpr std::int64_t kIntegers = 7;
  std::string text = bytes(1, attribute.name);
  if (!attribute.text.empty()) {
    return text + bytes(4, attribute.text) + number(20, kString);
  }
  if (attribute.integers.empty()) {
    return text + number(3, attribute.integer) + number(20, kInteger);
  }
  for (const std::int64_t value : attribute.integers) {
    text += number(8, value);
  }
  return text + number(20, kIntegers);
}

std::vector<float> countedValues(std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(static_cast<int>(i % 7) - 3) * 0.25F);
  }
  return values;
}

}  // namespace

std::string encode(const OnnxModel& model) {
  std::string graph;
  for (const OnnxNode& node : model.nodes) {
    std::string text;
    for (const std::string& input : node.inputs) {
      text += bytes(1, input);
    }
    text += bytes(2, node.output) + bytes(3, "node_" + node.output) + bytes(4, node.op);
    for (const OnnxAttribute& one : node.attributes) {
      text += bytes(5, attribute(one));
    }
    graph += bytes(1, text);
  }
  graph += bytes(2, model.graph);
  for (const OnnxTensor& tensor : model.weights) {
    graph += bytes(5, weight(tensor));
  }
  for (const OnnxTensor& tensor : model.inputs) {
    graph += bytes(11, valueInfo(tensor));
  }
  for (const OnnxTensor& tensor : model.outputs) {
    graph += bytes(12, valueInfo(tensor));
  }
  return number(1, model.irVersion) + bytes(7, graph) + bytes(8, number(2, model.opset));
}

OnnxModel denseLayer() {
  return {.graph = "dense layer",
          .inputs = {{"x", {"batch", "8"}}},
          .outputs = {{"y", {"batch", "4"}}},
          .weights = {{"w", {"8", "4"}, countedValues(32)}, {"b", {"4"}, countedValues(4)}},
          .nodes = {{"MatMul", {"x", "w"}, "p"}, {"Add", {"p", "b"}, "s"}, {"Relu", {"s"}, "y"}}};
}

OnnxModel embedding(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows) * 4;
  return {.graph = "main",
          .inputs = {{.name = "ids", .shape = {"1", "6"}, .integers = true}},
          .outputs = {{"y", {"1", "6", "4"}}},
          .weights = {{"table", {std::to_string(rows), "4"}, countedValues(count)}},
          .nodes = {{"Gather", {"table", "ids"}, "y"}}};
}

}  // namespace hone::test
