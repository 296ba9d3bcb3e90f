#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernel/judge/task/task.h"
#include "kernel/worker/python/worker_requests.h"
#include "kernel/worker/runner/runner_setup.h"
#include "kernel/worker/shared_tensor.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// The tensors of one call, in files shared with a worker.
class CallTensors {
 public:
  /// Creates the files. `label` makes their names and ids unique. `asDoubles` stores every element
  /// as f64, whatever the shape says.
  [[nodiscard]] static Result<CallTensors> create(const std::filesystem::path& folder,
                                                  const std::string& label, const Shape& shape,
                                                  Placement placement, bool asDoubles);

  [[nodiscard]] const std::string& label() const { return label_; }
  /// Appends the tensors and a call on them.
  void describe(RunnerSetup& setup) const;
  /// Appends the tensors.
  void describe(TensorsRequest& request) const;
  [[nodiscard]] CallRequest callRequest() const;
  /// Calls `use(name, isInput)` for every tensor, in the order of describe().
  template <typename Use>
  void visit(Use use) const {
    for (const Named& named : inputs_) {
      use(named.name, true);
    }
    for (const Named& named : outputs_) {
      use(named.name, false);
    }
  }

  /// Writes the inputs, marks the outputs as unwritten, and fills the guards of all tensors.
  void fill(std::span<const verify::Tensor> inputs, Random& random);
  /// Like fill, but keeps the outputs of the last call.
  void refill(std::span<const verify::Tensor> inputs, Random& random);
  /// Fills the bytes around all tensors with random values.
  void writeGuards(Random& random);
  /// Marks every output element as unwritten, with new bits.
  void markOutputs(Random& random);
  /// Marks every output element as unwritten, with the bits of the last mark.
  void markOutputsAgain();
  /// Returns the memory of an input, to be written while the process is frozen.
  [[nodiscard]] std::span<std::byte> inputData(std::size_t index) {
    return inputs_[index].tensor.data();
  }
  /// Describes a write to memory that the call must not write: an input, or bytes around a tensor.
  /// Returns nullopt if there was none.
  [[nodiscard]] std::optional<std::string> findStrayWrite(
      std::span<const verify::Tensor> inputs) const;
  /// Describes a write to the bytes around a tensor; nullopt if there was none.
  [[nodiscard]] std::optional<std::string> findGuardWrite() const;
  /// Returns copies of the outputs.
  [[nodiscard]] std::vector<verify::Tensor> outputs() const;
  /// Copies the outputs into `copies`, the result of outputs().
  void copyOutputs(std::vector<verify::Tensor>& copies) const;
  /// Describes the first element of `outputs` that the call did not write; nullopt if it wrote all.
  [[nodiscard]] std::optional<std::string> findUnwritten(
      std::span<const verify::Tensor> outputs) const;
  [[nodiscard]] verify::Tensor input(std::size_t index) const;
  [[nodiscard]] std::size_t inputCount() const { return inputs_.size(); }
  /// Unlinks the files; a worker that has mapped them keeps them.
  void unlinkFiles();

 private:
  CallTensors() = default;
  struct Named {
    std::string name;
    std::string id;
    SharedTensor tensor;
  };
  [[nodiscard]] static Result<Named> make(const std::filesystem::path& folder,
                                          const std::string& label, const Argument& argument,
                                          Placement placement, bool asDoubles);

  std::string label_;
  std::vector<Named> inputs_;
  std::vector<Named> outputs_;
  std::vector<std::int64_t> sizes_;
};

/// Formats the index of an element, e.g. "[3,7]".
[[nodiscard]] std::string indexText(const std::vector<std::int64_t>& shape, std::int64_t element);

}  // namespace hone::kernel
