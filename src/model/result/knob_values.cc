#include "model/result/knob_values.h"

#include "base/text/text.h"

namespace hone::model {

std::optional<std::map<std::string, std::int64_t>> valuesNamed(std::string_view name) {
  std::map<std::string, std::int64_t> values;
  for (const std::string& word : splitAt(name, ' ')) {
    const auto equals = word.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parseInt(word.substr(equals + 1));
    if (!value) {
      return std::nullopt;
    }
    values.emplace(word.substr(0, equals), *value);
  }
  return values;
}

}  // namespace hone::model
