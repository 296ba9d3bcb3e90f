#include "iree/mlir/matmul_mlir.h"

#include <fmt/format.h>

#include "iree/mlir/epilogue_mlir.h"

namespace hone::iree {

using model::Matmul;

Value matmulBody(Body& body, const Matmul& matmul, std::span<const Value> operands) {
  std::string operation = matmul.batch > 0 ? "linalg.batch_matmul" : "linalg.matmul";
  if (matmul.transposeLhs || matmul.transposeRhs) {
    const std::string batch = matmul.batch > 0 ? "b, " : "";
    const auto map = [&](std::string_view to) {
      return fmt::format("affine_map<({}m, n, k) -> ({}{})>", batch, batch, to);
    };
    operation +=
        fmt::format(" indexing_maps = [{}, {}, {}]", map(matmul.transposeLhs ? "k, m" : "m, k"),
                    map(matmul.transposeRhs ? "n, k" : "k, n"), map("m, n"));
  }
  const Value sums = body.named(operation, "", operands[0], operands[1], resultType(matmul));
  return withEpilogue(body, matmul.epilogue, sums, operands, sums.type.shape.size() - 1);
}

}  // namespace hone::iree
