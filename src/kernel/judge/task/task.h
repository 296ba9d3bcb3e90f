#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::kernel {

/// Integers from `low` up to, but not including, `high`.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 1;

  bool operator==(const IntegerRange&) const = default;
};

struct Argument {
  std::string name;
  model::TensorType type;
  std::optional<IntegerRange> range = std::nullopt;  ///< of an integer input, such as indices

  bool operator==(const Argument&) const = default;
};

/// Arguments of one call for given sizes.
struct Shape {
  /// "M" = 480, …; empty for the own shape of a Python reference.
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<Argument> inputs;  ///< Python reference: get_inputs, then the parameters
  std::size_t parameters = 0;    ///< number of parameters, which are the last inputs
  std::vector<Argument> outputs;
  double flops = 0;  ///< per call; 0: unknown

  /// Returns the total size of inputs and outputs.
  [[nodiscard]] double bytes() const;
  bool operator==(const Shape&) const = default;
};

/// The computation that a kernel must perform, as declared by its reference.
struct Task {
  std::string name;
  /// NAME.reference.cc (an f64 function and "// hone:" lines), or a Python file with Model,
  /// get_inputs and get_init_inputs.
  std::filesystem::path reference;
  /// Python form next to a C++ reference, for PyTorch's time; "": none.
  std::filesystem::path pytorch;
  Shape shape;
  std::vector<Shape> others;  ///< hidden shapes for kernels without fixed sizes

  [[nodiscard]] bool inPython() const;
  /// Returns the sizes of `others`.
  [[nodiscard]] std::vector<decltype(Shape::sizes)> otherSizes() const;
  bool operator==(const Task&) const = default;
};

}  // namespace hone::kernel
