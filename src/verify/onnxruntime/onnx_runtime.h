#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "verify/library_times.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

/// Runs an ONNX model with ONNX Runtime on the CPU. Use it in a dedicated child process: the
/// library starts threads, and its memory limit is that of the process.
class OnnxRuntimeModel {
 public:
  /// Loads the library and the model. `threads` includes the calling thread.
  [[nodiscard]] static Result<OnnxRuntimeModel> load(const std::filesystem::path& library,
                                                     const std::filesystem::path& model,
                                                     int threads);
  OnnxRuntimeModel(OnnxRuntimeModel&&) noexcept;
  OnnxRuntimeModel& operator=(OnnxRuntimeModel&&) = delete;
  OnnxRuntimeModel(const OnnxRuntimeModel&) = delete;
  OnnxRuntimeModel& operator=(const OnnxRuntimeModel&) = delete;
  ~OnnxRuntimeModel();

  /// Sets the inputs, in the order of the model. Fails with a user error if their number or the
  /// size of an element does not match.
  [[nodiscard]] Result<void> setInputs(std::vector<Tensor> inputs);
  /// Runs the model once and returns its outputs. Unsigned integers become integers of the same
  /// width.
  [[nodiscard]] Result<std::vector<Tensor>> run();
  /// Times the model after one warm-up repetition.
  [[nodiscard]] Result<LibraryTimes> time(std::int64_t iterations, std::int64_t repetitions);
  /// Returns "ONNX Runtime 1.31.1".
  [[nodiscard]] std::string libraryName() const;

 private:
  struct State;
  explicit OnnxRuntimeModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::verify
