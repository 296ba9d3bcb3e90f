#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// Far more than anyone can measure: what is above is a slip of the pen, and would fill memory.
constexpr std::size_t kMostValues = 100'000;

/// Picks an element of each list for one of their combinations; the list asked first changes
/// quickest.
class Picker {
 public:
  explicit Picker(std::size_t combination) : rest_(combination) {}
  template <typename List>
  const auto& next(const List& list) {
    const auto& value = list[rest_ % list.size()];
    rest_ /= list.size();
    return value;
  }

 private:
  std::size_t rest_;
};

/// A problem for every combination of lists of these sizes, checked; too many are a user error.
[[nodiscard]] Result<std::vector<Problem>> combinations(
    std::initializer_list<std::size_t> sizes, const std::function<Problem(Picker&)>& make);

}  // namespace hone::model
