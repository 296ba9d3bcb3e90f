#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem/tensor_type.h"

namespace hone::iree {

/// "tensor<4x4xf32>".
[[nodiscard]] std::string tensorText(const model::TensorType& type);

/// An SSA value with its type.
struct Value {
  std::string name;
  model::TensorType type;
  [[nodiscard]] std::string text() const { return tensorText(type); }
};

/// The loops of a linalg.generic and its accesses: a map for each input and the result.
struct Loops {
  std::string names;  ///< "n, oh, ow"
  std::vector<std::string> maps;
  std::size_t parallel = 0;
  std::size_t reduction = 0;
};

/// Writes a function's body line by line; what returns a value adds the operation that makes it.
class Body {
 public:
  /// The attributes are for the root operation alone: the one that does the work.
  explicit Body(std::string_view rootAttributes) : rootAttributes_(rootAttributes) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The root's attributes after those that it has anyway; "" for none.
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

  /// The name of a scalar; `name` must say its value. Not to be called inside a region.
  std::string constant(std::string_view name, std::string_view value, model::ElementType element);
  std::string zero(model::ElementType element);
  Value empty(const model::TensorType& type);
  /// Zeros of the type: the accumulator of every reduction.
  Value zeros(const model::TensorType& type);

  /// The root as a structured operation with a name: adds the product of two operands to zeros.
  Value named(std::string_view operation, std::string_view attributes, const Value& lhs,
              const Value& rhs, const model::TensorType& result);
  /// The same as a linalg.generic; its parallel loops come first.
  Value contraction(const Loops& loops, const Value& lhs, const Value& rhs,
                    const model::TensorType& result);
  /// Writes the lines of a region from the names of its block's arguments, the inputs and the
  /// result's old element, and returns the name of the new one.
  using Region = std::function<std::string(const std::vector<std::string>& arguments)>;
  Value generic(const Loops& loops, const std::vector<Value>& inputs, const Value& init,
                std::string_view attributes, const Region& region);

  /// A region's scalar in another type, as linalg's named operations cast: signed integers.
  std::string converted(const std::string& operand, model::ElementType from, model::ElementType to);

  /// Zeros around the image; negative sizes are not allowed.
  Value pad(const Value& image, const std::vector<std::int64_t>& low,
            const std::vector<std::int64_t>& high);
  /// A dimension split into `groups` and the rest.
  Value expand(const Value& value, std::size_t dim, std::int64_t groups);
  /// A dimension joined with the one after it.
  Value collapse(const Value& value, std::size_t dim);
  /// The elements from `offsets` on, as many as `sizes` says.
  Value slice(const Value& value, const std::vector<std::int64_t>& offsets,
              const std::vector<std::int64_t>& sizes);
  /// The value's elements put `strides` apart into zeros of another shape.
  Value scatter(const Value& value, const model::TensorType& into,
                const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& strides);
  /// Reversed along `count` dimensions from `first` on. Indices are computed, as the compiler's
  /// tiling fails on an indexing map with a negative factor.
  Value reverse(const Value& value, std::size_t first, std::size_t count);

 private:
  std::string rootAttributes_;
  std::string text_;
  int next_ = 0;
};

}  // namespace hone::iree
