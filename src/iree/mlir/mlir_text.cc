#include "iree/mlir/mlir_text.h"

#include "base/text.h"

namespace hone::iree {

std::vector<std::int64_t> numbersOf(const std::string& array) {
  std::vector<std::int64_t> numbers;
  const auto colon = array.find(':');
  if (colon == std::string::npos) {
    return numbers;
  }
  for (const std::string& part :
       splitAt(array.substr(colon + 1, array.rfind('>') - colon - 1), ',')) {
    if (const auto number = parseInt(trim(part))) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

std::string symbolOf(const std::string& reference) {
  std::string name = reference.starts_with('@') ? reference.substr(1) : reference;
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

}  // namespace hone::iree
