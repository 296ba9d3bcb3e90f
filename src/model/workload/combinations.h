#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// Upper bound that catches typing errors before they exhaust memory; far more than can be
/// measured.
constexpr std::size_t kMaxCombinations = 10'000;

/// Selects one element per list for the combination with the given index. The list requested first
/// varies fastest.
class Picker {
 public:
  explicit Picker(std::size_t combination) : remaining_(combination) {}
  template <typename List>
  const auto& next(const List& list) {
    const auto& value = list[remaining_ % list.size()];
    remaining_ /= list.size();
    return value;
  }

 private:
  std::size_t remaining_;
};

/// Makes a problem for every combination of lists of these sizes. Returns a user error if there are
/// too many, or if one of them is invalid.
[[nodiscard]] Result<std::vector<Problem>> combinations(
    std::initializer_list<std::size_t> sizes, const std::function<Problem(Picker&)>& make);

}  // namespace hone::model
