#include "model/problem/operation/matmul.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/problem/operation/problem_parts.h"
#include "model/result/json_reader.h"

namespace hone::model {

Result<void> checkSizes(const Matmul& matmul) {
  HONE_CHECK(checkSize("m", matmul.m));
  HONE_CHECK(checkSize("n", matmul.n));
  HONE_CHECK(checkSize("k", matmul.k));
  HONE_CHECK(checkSize("batch", matmul.batch, 0));
  return check(matmul.epilogue, matmul.result);
}

std::string nameOf(const Matmul& matmul) {
  std::string name = matmul.batch > 0 ? fmt::format("batch_matmul_{}x", matmul.batch) : "matmul_";
  name += fmt::format("{}x{}x{}_{}", matmul.m, matmul.n, matmul.k,
                      typesText(matmul.lhs, matmul.rhs, matmul.result));
  name += matmul.transposeLhs ? "_ta" : "";
  name += matmul.transposeRhs ? "_tb" : "";
  return matmul.epilogue.isNone() ? name : fmt::format("{}_{}", name, matmul.epilogue.text());
}

std::vector<TensorType> operandTypes(const Matmul& matmul) {
  TensorType lhs{{matmul.m, matmul.k}, matmul.lhs};
  TensorType rhs{{matmul.k, matmul.n}, matmul.rhs};
  if (matmul.transposeLhs) {
    std::swap(lhs.shape[0], lhs.shape[1]);
  }
  if (matmul.transposeRhs) {
    std::swap(rhs.shape[0], rhs.shape[1]);
  }
  if (matmul.batch > 0) {
    lhs.shape.insert(lhs.shape.begin(), matmul.batch);
    rhs.shape.insert(rhs.shape.begin(), matmul.batch);
  }
  std::vector<TensorType> operands = {lhs, rhs};
  if (matmul.epilogue.bias) {
    operands.push_back({{matmul.n}, matmul.result});
  }
  return operands;
}

TensorType resultType(const Matmul& matmul) {
  TensorType result{{matmul.m, matmul.n}, matmul.result};
  if (matmul.batch > 0) {
    result.shape.insert(result.shape.begin(), matmul.batch);
  }
  return result;
}

std::int64_t reductionLength(const Matmul& matmul) { return matmul.k; }

double countFlops(const Matmul& matmul) {
  return 2.0 * static_cast<double>(std::max<std::int64_t>(matmul.batch, 1)) *
         static_cast<double>(matmul.m) * static_cast<double>(matmul.n) *
         static_cast<double>(matmul.k);
}

nlohmann::json toJson(const Matmul& matmul) {
  nlohmann::json json = {{"kind", "matmul"},
                         {"batch", matmul.batch},
                         {"m", matmul.m},
                         {"n", matmul.n},
                         {"k", matmul.k},
                         {"transpose_lhs", matmul.transposeLhs},
                         {"transpose_rhs", matmul.transposeRhs},
                         {"lhs", nameOf(matmul.lhs)},
                         {"rhs", nameOf(matmul.rhs)},
                         {"result", nameOf(matmul.result)}};
  if (!matmul.epilogue.isNone()) {
    json["epilogue"] = matmul.epilogue.text();
  }
  return json;
}

Result<Matmul> matmulFrom(const nlohmann::json& json) {
  JsonReader reader(json, "problem");
  Matmul matmul;
  std::string kind;
  std::string lhs;
  std::string rhs;
  std::string result;
  std::string epilogue;
  reader.required("kind", kind);
  reader.optional("batch", matmul.batch);
  reader.required("m", matmul.m);
  reader.required("n", matmul.n);
  reader.required("k", matmul.k);
  reader.optional("transpose_lhs", matmul.transposeLhs);
  reader.optional("transpose_rhs", matmul.transposeRhs);
  reader.required("lhs", lhs);
  reader.required("rhs", rhs);
  reader.required("result", result);
  reader.optional("epilogue", epilogue);
  HONE_CHECK(reader.finish());
  matmul.lhs = HONE_TRY(typeFrom(lhs));
  matmul.rhs = HONE_TRY(typeFrom(rhs));
  matmul.result = HONE_TRY(typeFrom(result));
  matmul.epilogue = HONE_TRY(epilogueFrom(epilogue));
  return matmul;
}

}  // namespace hone::model
