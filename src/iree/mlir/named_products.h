#pragma once

#include <array>
#include <span>
#include <string_view>

namespace hone::iree {

/// A named matrix product with fixed indexing maps.
struct NamedProduct {
  std::string_view name;
  /// The operation that replaced it, with indexing maps; equal to `name` if it still exists.
  std::string_view current;
  std::array<std::string_view, 3> maps;
};

/// Returns the named products of this compiler and of earlier versions.
[[nodiscard]] std::span<const NamedProduct> namedProducts();

/// Returns the product with this name, or null.
[[nodiscard]] const NamedProduct* findNamedProduct(std::string_view name);

}  // namespace hone::iree
