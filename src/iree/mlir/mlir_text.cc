#include "iree/mlir/mlir_text.h"

#include "base/text/text.h"

namespace hone::iree {

std::vector<std::int64_t> numbersIn(std::string list) {
  std::vector<std::int64_t> numbers;
  if (list.starts_with("array<")) {
    const auto colon = list.find(':');
    list = colon == std::string::npos ? "" : list.substr(colon + 1);
  }
  std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == '>'; });
  for (const std::string& part : splitAt(list, ',')) {
    const std::string_view word = trim(part);
    if (const auto number = parseInt(word.substr(0, word.find(' ')))) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

std::string parseSymbol(const std::string& reference) {
  std::string name = reference.starts_with('@') ? reference.substr(1) : reference;
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

}  // namespace hone::iree
