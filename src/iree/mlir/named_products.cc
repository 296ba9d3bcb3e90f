#include "iree/mlir/named_products.h"

#include <algorithm>

namespace hone::iree {
namespace {

constexpr std::string_view kMatmulResult = "affine_map<(d0, d1, d2) -> (d0, d1)>";
constexpr std::string_view kBatchResult = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>";

constexpr std::array<NamedProduct, 6> kNamedProducts = {{
    {"linalg.matmul",
     "linalg.matmul",
     {"affine_map<(d0, d1, d2) -> (d0, d2)>", "affine_map<(d0, d1, d2) -> (d2, d1)>",
      kMatmulResult}},
    {"linalg.matmul_transpose_a",
     "linalg.matmul",
     {"affine_map<(d0, d1, d2) -> (d2, d0)>", "affine_map<(d0, d1, d2) -> (d2, d1)>",
      kMatmulResult}},
    {"linalg.matmul_transpose_b",
     "linalg.matmul",
     {"affine_map<(d0, d1, d2) -> (d0, d2)>", "affine_map<(d0, d1, d2) -> (d1, d2)>",
      kMatmulResult}},
    {"linalg.batch_matmul",
     "linalg.batch_matmul",
     {"affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>",
      "affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>", kBatchResult}},
    {"linalg.batch_matmul_transpose_a",
     "linalg.batch_matmul",
     {"affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>",
      "affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>", kBatchResult}},
    {"linalg.batch_matmul_transpose_b",
     "linalg.batch_matmul",
     {"affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>",
      "affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>", kBatchResult}},
}};

}  // namespace

std::span<const NamedProduct> namedProducts() { return kNamedProducts; }

const NamedProduct* findNamedProduct(std::string_view name) {
  const auto* const found = std::ranges::find(kNamedProducts, name, &NamedProduct::name);
  return found == kNamedProducts.end() ? nullptr : found;
}

}  // namespace hone::iree
