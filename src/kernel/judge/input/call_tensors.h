#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernel/judge/task/task.h"
#include "kernel/worker/shared_tensor.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// All tensors of one call, in files that a worker shares.
class CallTensors {
 public:
  /// `label` makes their files and ids unlike those of others. `asDoubles`: every element is an
  /// f64, whatever the shape says.
  [[nodiscard]] static Result<CallTensors> create(const std::filesystem::path& folder,
                                                  const std::string& label, const Shape& shape,
                                                  Placement placement, bool asDoubles);

  /// Entries of a request `tensors`, added to the list.
  void describe(nlohmann::json& list) const;
  /// A request `call` or `time`, to which the rest is added.
  [[nodiscard]] nlohmann::json request(const char* what) const;

  /// New contents for the inputs; outputs are marked as not written, all are guarded.
  void fill(std::span<const verify::Tensor> inputs, Random& random);
  /// What the call did to memory that is not its own: inputs that are not `inputs` any more, bytes
  /// around the data. Nothing when it behaved.
  [[nodiscard]] std::optional<std::string> harm(std::span<const verify::Tensor> inputs) const;
  /// Copies of the outputs as they are now.
  [[nodiscard]] std::vector<verify::Tensor> outputs() const;
  /// What the call left of these copies, or a part of one: a sentence.
  [[nodiscard]] std::optional<std::string> unwritten(std::span<const verify::Tensor> outputs) const;
  [[nodiscard]] verify::Tensor input(std::size_t index) const;
  [[nodiscard]] std::size_t inputCount() const { return inputs_.size(); }
  /// Nobody can open them any more; a worker that has them keeps them.
  void hide();

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

  std::vector<Named> inputs_;
  std::vector<Named> outputs_;
  std::vector<std::int64_t> sizes_;
};

/// The index of an element, as "[3,7]".
[[nodiscard]] std::string indexText(const std::vector<std::int64_t>& shape, std::int64_t element);

}  // namespace hone::kernel
