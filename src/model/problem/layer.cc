#include "model/problem/layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/text.h"
#include "model/result/json_reader.h"

namespace hone::model {

std::vector<std::int64_t> Layer::sizes(const std::string& attribute, std::size_t count) const {
  std::vector<std::int64_t> sizes;
  const auto found = attributes.find(attribute);
  if (found != attributes.end()) {
    const std::string& text = found->second;
    std::size_t begin = text.find('<');
    begin = begin == std::string::npos ? 0 : begin + 1;
    std::string list = text.substr(begin, text.find('>') - begin);
    if (const auto colon = list.find(':'); colon != std::string::npos) {
      list.erase(0, colon + 1);  // array<i64: 1, 2>
    }
    std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == ' '; });
    for (const std::string& part : splitAt(list, ',')) {
      if (const auto size = parseInt(part)) {
        sizes.push_back(*size);
      }
    }
  }
  sizes.resize(count, sizes.size() == 1 ? sizes.front() : 1);
  return sizes;
}

std::string Layer::key() const {
  std::string text = op;
  for (const TensorType& operand : operands) {
    text += " " + operand.text();
  }
  for (const auto& [name, value] : attributes) {
    text += fmt::format(" {}={}", name, value.substr(0, value.find(" :")));
  }
  return text;
}

std::string Layer::describe() const {
  std::string text = op.substr(op.find('.') + 1);
  for (std::size_t i = 0; i < std::min<std::size_t>(operands.size(), 2); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : " by", fmt::join(operands[i].shape, "x"));
  }
  for (const auto& [name, word] : {std::pair("strides", "stride"), {"dilations", "dilation"}}) {
    if (attributes.contains(name)) {
      const std::vector<std::int64_t> values = sizes(name, op.contains("_1d") ? 1 : 2);
      if (std::any_of(values.begin(), values.end(), [](auto value) { return value != 1; })) {
        const bool equal = values.front() == values.back();
        text += fmt::format(
            ", {} {}", word,
            equal ? fmt::to_string(values.front()) : fmt::format("{}", fmt::join(values, "x")));
      }
    }
  }
  return text;
}

nlohmann::json toJson(const Layer& layer) {
  nlohmann::json operands = nlohmann::json::array();
  for (const TensorType& operand : layer.operands) {
    operands.push_back(operand.text());
  }
  return {{"op", layer.op},
          {"operands", std::move(operands)},
          {"result", layer.result.text()},
          {"attributes", layer.attributes},
          {"calls", layer.calls},
          {"fixed_weights", layer.fixedWeights}};
}

Result<Layer> layerFrom(const nlohmann::json& json) {
  Layer layer;
  JsonReader reader(json, "layer");
  std::vector<std::string> operands;
  std::string result;
  reader.required("op", layer.op);
  reader.required("operands", operands);
  reader.required("result", result);
  reader.required("attributes", layer.attributes);
  reader.required("calls", layer.calls);
  reader.optional("fixed_weights", layer.fixedWeights);
  HONE_CHECK(reader.finish());
  for (const std::string& operand : operands) {
    layer.operands.push_back(HONE_TRY(tensorTypeFrom(operand)));
  }
  layer.result = HONE_TRY(tensorTypeFrom(result));
  return layer;
}

}  // namespace hone::model
