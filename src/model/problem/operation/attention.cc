#include "model/problem/operation/attention.h"

#include <nlohmann/json.hpp>

#include "model/problem/operation/problem_parts.h"
#include "model/result/json_reader.h"

namespace hone::model {

Result<void> checkSizes(const Attention& attention) {
  HONE_CHECK(checkSize("batch", attention.batch));
  HONE_CHECK(checkSize("queries", attention.queries));
  HONE_CHECK(checkSize("keys", attention.keys));
  HONE_CHECK(checkSize("depth", attention.depth));
  if (!isFloat(attention.type)) {
    return userError("attention requires a floating-point type, got {}", nameOf(attention.type));
  }
  return {};
}

std::string nameOf(const Attention& attention) {
  return fmt::format("attention_{}x{}x{}x{}_{}", attention.batch, attention.queries, attention.keys,
                     attention.depth, nameOf(attention.type));
}

std::vector<TensorType> operandTypes(const Attention& attention) {
  const TensorType query = resultType(attention);
  const TensorType key{{attention.batch, attention.keys, attention.depth}, attention.type};
  return {query, key, key};
}

TensorType resultType(const Attention& attention) {
  return {{attention.batch, attention.queries, attention.depth}, attention.type};
}

std::int64_t reductionLength(const Attention& attention) { return attention.keys; }

double countFlops(const Attention& attention) {
  return 4.0 * static_cast<double>(attention.batch) * static_cast<double>(attention.queries) *
         static_cast<double>(attention.keys) * static_cast<double>(attention.depth);
}

nlohmann::json toJson(const Attention& attention) {
  return {{"kind", "attention"},    {"batch", attention.batch}, {"queries", attention.queries},
          {"keys", attention.keys}, {"depth", attention.depth}, {"type", nameOf(attention.type)}};
}

Result<Attention> attentionFrom(const nlohmann::json& json) {
  JsonReader reader(json, "problem");
  Attention attention;
  std::string kind;
  std::string type;
  reader.required("kind", kind);
  reader.required("batch", attention.batch);
  reader.required("queries", attention.queries);
  reader.required("keys", attention.keys);
  reader.required("depth", attention.depth);
  reader.required("type", type);
  HONE_CHECK(reader.finish());
  attention.type = HONE_TRY(typeFrom(type));
  return attention;
}

}  // namespace hone::model
