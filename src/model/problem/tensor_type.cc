#include "model/problem/tensor_type.h"

#include "base/text/text.h"

namespace hone::model {

std::int64_t TensorType::count() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    product *= size;
  }
  return product;
}

std::size_t TensorType::bytes() const {
  return static_cast<std::size_t>(count()) * byteWidth(element);
}

std::string TensorType::text() const {
  std::string out;
  for (const std::int64_t size : shape) {
    out += fmt::format("{}x", size);
  }
  return out + std::string(nameOf(element));
}

bool TensorType::countable() const {
  auto product = static_cast<std::int64_t>(byteWidth(element));
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) {
      return false;
    }
  }
  return true;
}

Result<TensorType> tensorTypeFrom(std::string_view text) {
  TensorType type;
  std::vector<std::string> parts = splitAt(text, 'x');
  const auto element = elementTypeFrom(parts.back());
  if (!element) {
    return userError("invalid tensor type '{}': unknown element type '{}'", text, parts.back());
  }
  type.element = *element;
  parts.pop_back();
  for (const std::string& part : parts) {
    const auto size = parseInt(part);
    if (!size || *size < 0) {
      return userError("invalid static tensor type '{}': '{}' is not a size", text, part);
    }
    type.shape.push_back(*size);
  }
  if (!type.countable()) {
    return userError("tensor '{}' is too large: its size overflows 63 bits", text);
  }
  return type;
}

std::string_view insideTensor(std::string_view text) {
  constexpr std::string_view kBegin = "tensor<";
  if (!text.starts_with(kBegin) || !text.ends_with('>')) {
    return {};
  }
  return text.substr(kBegin.size(), text.size() - kBegin.size() - 1);
}

Result<TensorType> tensorTypeFromMlir(std::string_view text) {
  const std::string_view inside = insideTensor(text);
  if (inside.empty()) {
    return userError("expected a tensor type, got '{}'", text);
  }
  return tensorTypeFrom(inside);
}

}  // namespace hone::model
