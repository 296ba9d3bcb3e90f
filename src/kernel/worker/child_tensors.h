#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernel/worker/stir.h"
#include "model/problem/tensor_type.h"

namespace hone::kernel {

/// A tensor in a worker: a file that the judge has mapped too, between two pages without access.
struct ChildTensor {
  std::string id;
  std::string name;  ///< for messages
  bool isInput = false;
  model::TensorType type;
  std::byte* view = nullptr;      ///< the kernel's; an input's cannot be written
  std::byte* writable = nullptr;  ///< the worker's own, elsewhere
  std::byte* mapBegin = nullptr;  ///< of the kernel's view, guard pages included
  std::byte* mapEnd = nullptr;

  [[nodiscard]] std::byte* end() const { return view + type.bytes(); }
  [[nodiscard]] Stirrable stirrable() const;
};

/// All tensors of a worker; they stay until the process ends.
class ChildTensors {
 public:
  /// Opens what a request `tensors` lists.
  [[nodiscard]] Result<void> open(const nlohmann::json& request);
  /// Null where there is none with this id.
  [[nodiscard]] const ChildTensor* find(const std::string& id) const;

 private:
  std::map<std::string, ChildTensor> tensors_;
};

}  // namespace hone::kernel
