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

/// A tensor in a worker: a file shared with the judge, mapped between two inaccessible pages.
struct ChildTensor {
  std::string id;
  std::string name;  ///< for messages
  bool isInput = false;
  model::TensorType type;
  std::byte* view = nullptr;      ///< mapping for the kernel; read-only for inputs
  std::byte* writable = nullptr;  ///< mapping for the worker, at another address
  std::byte* mapBegin = nullptr;  ///< start of the kernel's mapping, including guard pages
  std::byte* mapEnd = nullptr;

  [[nodiscard]] std::byte* end() const { return view + type.bytes(); }
  [[nodiscard]] Stirrable stirrable() const;
};

/// All tensors of a worker. They stay mapped until the process ends.
class ChildTensors {
 public:
  /// Opens the tensors listed in a `tensors` request.
  [[nodiscard]] Result<void> open(const nlohmann::json& request);
  /// Returns the tensor with this id, or null.
  [[nodiscard]] const ChildTensor* find(const std::string& id) const;

 private:
  std::map<std::string, ChildTensor> tensors_;
};

}  // namespace hone::kernel
