#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "engine/program/inputs.h"
#include "iree/run/execution.h"
#include "verify/library_times.h"
#include "verify/tensor/tensor.h"

namespace hone::engine {

/// Runs models with ONNX Runtime, always in child processes with limits: `hone run-model` of this
/// executable. A reference that IREE did not compute, and the alternative to compare with.
class ModelRuntime {
 public:
  /// Finds ONNX Runtime beside IREE. Returns nothing if it is not installed.
  [[nodiscard]] static std::optional<ModelRuntime> find(const iree::ModuleRunner& runner);

  /// Runs the program's model once and returns its outputs. Fails with a user error if ONNX Runtime
  /// cannot run it.
  [[nodiscard]] Result<std::vector<verify::Tensor>> run(const Program& program,
                                                        const Inputs& inputs,
                                                        const std::filesystem::path& folder) const;
  /// Takes `repetitions` samples of `iterations` calls each, after a warm-up.
  [[nodiscard]] Result<verify::LibraryTimes> time(const Program& program, const Inputs& inputs,
                                                  std::int64_t iterations,
                                                  std::int64_t repetitions) const;

 private:
  ModelRuntime(std::filesystem::path library, Limits limits, int threads)
      : library_(std::move(library)), limits_(limits), threads_(threads) {}
  enum class Purpose : std::uint8_t { compute, measure };

  [[nodiscard]] Result<std::string> call(Purpose purpose, const Program& program,
                                         const Inputs& inputs,
                                         std::vector<std::string> arguments) const;

  std::filesystem::path library_;
  Limits limits_;
  int threads_;  ///< as many as IREE uses on the device
};

}  // namespace hone::engine
