#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem/tensor_type.h"

namespace hone::iree {

/// Returns the MLIR type: "tensor<4x4xf32>".
[[nodiscard]] std::string tensorText(const model::TensorType& type);

/// An SSA value with its type.
struct Value {
  std::string name;
  model::TensorType type;
  [[nodiscard]] std::string text() const { return tensorText(type); }
};

/// The loops and indexing maps of a linalg.generic: one map per input and one for the result.
struct Loops {
  std::string names;  ///< "n, oh, ow"
  std::vector<std::string> maps;
  std::size_t parallel = 0;
  std::size_t reduction = 0;
  /// Further attributes of an accumulation.
  std::string attributes = "";  // NOLINT(readability-redundant-string-init): g++ warns
};

/// Writes a function's body line by line. Functions that return a Value append its operation.
class Body {
 public:
  /// Attaches the attributes only to the root operation.
  explicit Body(std::string_view rootAttributes) : rootAttributes_(rootAttributes) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Returns `own` followed by the root attributes; "" if both are empty.
  [[nodiscard]] std::string rootAttributes(std::string_view own) const;

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  template <typename... Args>
  Value define(const model::TensorType& type, fmt::format_string<Args...> format, Args&&... args) {
    const std::string name = fmt::format("%{}", next_++);
    line("{} = {}", name, fmt::format(format, std::forward<Args>(args)...));
    return {name, type};
  }

  /// Returns the name of a scalar constant. `name` must be unique per value. Must not be called
  /// inside a region.
  std::string constant(std::string_view name, std::string_view value, model::ElementType element);
  std::string zero(model::ElementType element);
  Value empty(const model::TensorType& type);
  /// Returns a zero-filled tensor, as used for accumulators.
  Value zeros(const model::TensorType& type);

  /// Writes the root as a named operation that accumulates the product of two operands into zeros.
  Value named(std::string_view operation, std::string_view attributes, const Value& lhs,
              const Value& rhs, const model::TensorType& result);
  /// Like named(), but as a linalg.generic. The parallel loops come first.
  Value contraction(const Loops& loops, const Value& lhs, const Value& rhs,
                    const model::TensorType& result);
  /// Like contraction(), but adds to `init`.
  Value accumulate(const Loops& loops, const Value& lhs, const Value& rhs, const Value& init);
  /// Writes the lines of a region and returns the name of the yielded value. The arguments are the
  /// names of the input elements and of the result's old element.
  using Region = std::function<std::string(const std::vector<std::string>& arguments)>;
  Value generic(const Loops& loops, const std::vector<Value>& inputs, const Value& init,
                std::string_view attributes, const Region& region);

  /// Casts a scalar of a region like linalg's named operations do: integers are signed.
  std::string converted(const std::string& operand, model::ElementType from, model::ElementType to);

  /// Pads the image with zeros. The sizes must not be negative.
  Value pad(const Value& image, const std::vector<std::int64_t>& low,
            const std::vector<std::int64_t>& high);
  /// Splits a dimension into `groups` and the remainder.
  Value expand(const Value& value, std::size_t dim, std::int64_t groups);
  /// Merges a dimension with the next one.
  Value collapse(const Value& value, std::size_t dim);
  /// Extracts `sizes` elements starting at `offsets`.
  Value slice(const Value& value, const std::vector<std::int64_t>& offsets,
              const std::vector<std::int64_t>& sizes);
  /// Extracts every `strides`-th element.
  Value slice(const Value& value, const std::vector<std::int64_t>& offsets,
              const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides);
  /// Reorders the dimensions: dimension i of the result is dimension `permutation[i]` of the value.
  Value transpose(const Value& value, const std::vector<std::size_t>& permutation);
  /// Inserts the value's elements with `strides` into a zero-filled tensor.
  Value scatter(const Value& value, const model::TensorType& into,
                const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& strides);
  /// Reverses `count` dimensions starting at `first`. Computes the indices explicitly because the
  /// compiler's tiling fails on indexing maps with a negative factor.
  Value reverse(const Value& value, std::size_t first, std::size_t count);

 private:
  std::string rootAttributes_;
  std::string text_;
  int next_ = 0;
};

}  // namespace hone::iree
