#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::kernel {

struct Argument {
  std::string name;
  model::TensorType type;

  bool operator==(const Argument&) const = default;
};

/// One call that a kernel must be able to do: its arguments for some sizes.
struct Shape {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< "M" = 480, …; of a Python
                                                            ///< reference only those of others
  std::vector<Argument> inputs;  ///< of a Python reference: get_inputs, then the parameters
  std::size_t parameters = 0;    ///< so many of the inputs, the last ones, are parameters
  std::vector<Argument> outputs;
  double flops = 0;  ///< of one call; 0 where nobody knows

  /// Every input and output moved once.
  [[nodiscard]] double bytes() const;
  bool operator==(const Shape&) const = default;
};

/// What a kernel must compute, as its reference tells.
struct Task {
  std::string name;
  /// NAME.reference.cc (an f64 function and lines that begin with "// hone:"), or a Python file
  /// with Model, get_inputs and get_init_inputs.
  std::filesystem::path reference;
  /// The Python form beside a C++ one, for PyTorch's time; "" where there is none.
  std::filesystem::path pytorch;
  Shape shape;
  std::vector<Shape> others;  ///< hidden ones for kernels that claim to be general

  [[nodiscard]] bool inPython() const;
  /// Of the others, as a request `load` has them.
  [[nodiscard]] nlohmann::json otherSizes() const;
  bool operator==(const Task&) const = default;
};

}  // namespace hone::kernel
