#include "model/workload/miopen_gemm.h"

#include <array>
#include <utility>

#include "model/workload/miopen_options.h"

namespace hone::model {
namespace {

struct GemmFields : Matmul {
  std::int64_t batchCount = 1;
  bool unitBatch = false;  ///< keep a batch of one as a dimension
  bool columnMajor = false;
};

constexpr Matmul kGemmDefaults = {.m = 256, .n = 256, .k = 256};

constexpr auto kGemmOptions = std::to_array<Option<GemmFields>>({
    {'m', "a_h", &GemmFields::m},
    {'k', "a_w", &GemmFields::k},
    {'n', "b_w", &GemmFields::n},
    {'u', "transA", &GemmFields::transposeLhs},
    {'v', "transB", &GemmFields::transposeRhs},
    {'b', "batch_count", &GemmFields::batchCount},
    {'C', "isColMajor", &GemmFields::columnMajor},
    // Spelling of IREE's dispatch profiler.
    {'\0', "m", &GemmFields::m},
    {'\0', "n", &GemmFields::n},
    {'\0', "k", &GemmFields::k},
    {'\0', "unit_batch", &GemmFields::unitBatch},
    {'\0', "lhs_type", &GemmFields::lhs},
    {'\0', "rhs_type", &GemmFields::rhs},
    {'\0', "result_type", &GemmFields::result},
    {'F', "forw", FixedValue{"1", "write the backward gemm as a separate gemm"}},
    {'B', "beta", FixedValue{"0", "remove the option; hone's matmuls do not accumulate into C"}},
    {'A', "alpha", Ignored{}},
    {'t', "time", Ignored{}},
    {'i', "iter", Ignored{}},
    {'V', "verify", Ignored{}},
    {'w', "wall", Ignored{}},
    {'s', "search", Ignored{}},
});

/// Converts a column-major product to the row-major product of the swapped operands.
void toRowMajor(Matmul& matmul) {
  std::swap(matmul.m, matmul.n);
  std::swap(matmul.lhs, matmul.rhs);
  std::swap(matmul.transposeLhs, matmul.transposeRhs);
}

}  // namespace

Result<std::vector<Problem>> gemmProblems(const CommandTypes& types,
                                          std::span<const std::string_view> options) {
  GemmFields fields{kGemmDefaults};
  fields.lhs = fields.rhs = types.input;
  fields.result = types.result;
  HONE_CHECK(readOptions<GemmFields>(options, kGemmOptions, fields));
  if (fields.batchCount < 1) {
    return userError("batch count must be at least 1, got {}; correct -b", fields.batchCount);
  }
  // MIOpen and IREE's dispatch profiler write a batch count of 1 for a product without a batch.
  fields.batch = fields.batchCount > 1 || fields.unitBatch ? fields.batchCount : 0;
  if (fields.columnMajor) {
    toRowMajor(fields);
  }
  const Problem problem = static_cast<const Matmul&>(fields);
  if (const auto valid = check(problem); !valid) {
    return userError("{}; correct the sizes", valid.error().message);
  }
  return std::vector{problem};
}

std::string gemmCommand(const Matmul& matmul) {
  const CommandTypes& types = findCommandTypes(matmul.lhs);
  std::string line = fmt::format("gemm{} -m {} -n {} -k {} -u {:d} -v {:d}", types.suffix, matmul.m,
                                 matmul.n, matmul.k, matmul.transposeLhs, matmul.transposeRhs);
  if (matmul.batch > 0) {
    line += fmt::format(" -b {}{}", matmul.batch, matmul.batch == 1 ? " --unit_batch 1" : "");
  }
  using Typed = std::pair<std::string_view, std::pair<ElementType, ElementType>>;
  for (const auto& [option, said] :
       {Typed{"lhs_type", {matmul.lhs, types.input}}, Typed{"rhs_type", {matmul.rhs, types.input}},
        Typed{"result_type", {matmul.result, types.result}}}) {
    if (said.first != said.second) {
      line += fmt::format(" --{} {}", option, nameOf(said.first));
    }
  }
  return line;
}

}  // namespace hone::model
