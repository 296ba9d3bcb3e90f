#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// A tensor that the runner maps.
struct RunnerTensor {
  std::string file;  ///< a whole number of pages
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool isInput = false;
};

/// One argument of a call.
struct RunnerWord {
  bool isTensor = false;
  std::uint64_t value = 0;  ///< index of the tensor, or a size
};

/// The task of a runner: all that it learns about the judge.
struct RunnerSetup {
  std::string library;
  std::string function;
  std::vector<RunnerTensor> tensors;
  std::vector<std::vector<RunnerWord>> calls;
  std::vector<std::string> readable;  ///< places that may be read while the library is loaded

  /// Converts to bytes for the runner.
  [[nodiscard]] std::string encode() const;
  /// Reads the bytes of encode(); nullopt if they are damaged.
  [[nodiscard]] static std::optional<RunnerSetup> decode(std::string_view bytes);
};

}  // namespace hone::kernel
