#include "model/problem/reduction.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/result/json_reader.h"

namespace hone::model {

std::string_view nameOf(ReductionKind kind) {
  return kind == ReductionKind::convolution ? "convolution" : "matmul";
}

std::int64_t Reduction::outputSize() const {
  return kind == ReductionKind::convolution ? outputChannelSize * batchSize * imageSize * depthSize
                                            : mSize * nSize * batchSize;
}

std::int64_t Reduction::reductionSize() const {
  if (kind == ReductionKind::matmul && kSize > 0) {
    return kSize;
  }
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Reduction::startSize() const {
  return sizes.empty() ? 1 : batchFirst ? sizes.back() : sizes.front();
}

std::optional<Reduction> asMatmul(const Reduction& convolution) {
  if (convolution.kSize == 0) {
    return std::nullopt;
  }
  Reduction matmul = convolution;
  matmul.kind = ReductionKind::matmul;
  matmul.batchFirst = false;
  matmul.batchSize = convolution.depthSize;
  return matmul;
}

nlohmann::json toJson(const Reduction& reduction) {
  nlohmann::json json = {{"kind", nameOf(reduction.kind)},
                         {"sizes", reduction.sizes},
                         {"batch_first", reduction.batchFirst},
                         {"batch_size", reduction.batchSize},
                         {"m_size", reduction.mSize},
                         {"n_size", reduction.nSize},
                         {"k_size", reduction.kSize}};
  if (reduction.kind == ReductionKind::convolution) {
    json["output_channel_size"] = reduction.outputChannelSize;
    json["image_size"] = reduction.imageSize;
    json["depth_size"] = reduction.depthSize;
  }
  return json;
}

Result<Reduction> reductionFrom(const nlohmann::json& json) {
  Reduction reduction;
  JsonReader reader(json, "reduction");
  std::string kind;
  reader.required("kind", kind);
  reader.required("sizes", reduction.sizes);
  reader.required("batch_first", reduction.batchFirst);
  reader.required("batch_size", reduction.batchSize);
  reader.optional("output_channel_size", reduction.outputChannelSize);
  reader.optional("image_size", reduction.imageSize);
  reader.optional("depth_size", reduction.depthSize);
  reader.required("m_size", reduction.mSize);
  reader.required("n_size", reduction.nSize);
  reader.required("k_size", reduction.kSize);
  HONE_CHECK(reader.finish());
  for (const ReductionKind known : {ReductionKind::convolution, ReductionKind::matmul}) {
    if (kind == nameOf(known)) {
      reduction.kind = known;
      return reduction;
    }
  }
  return userError("reduction: unknown kind '{}'", kind);
}

}  // namespace hone::model
