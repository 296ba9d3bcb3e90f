#pragma once

#include <cstddef>
#include <vector>

#include "model/tensor_type.h"

namespace hone::verify {

/// A dense row-major tensor in memory, its elements as the type says.
struct Tensor {
  model::TensorType type;
  std::vector<std::byte> data;
};

}  // namespace hone::verify
