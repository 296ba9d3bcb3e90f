#include "model/workload/combinations.h"

namespace hone::model {

Result<std::vector<Problem>> combinations(std::initializer_list<std::size_t> sizes,
                                          const std::function<Problem(Picker&)>& make) {
  std::size_t count = 1;
  for (const std::size_t size : sizes) {
    count *= size;
    if (count > kMaxCombinations) {
      return userError("sweep has more than {} problems; shorten its lists", kMaxCombinations);
    }
  }
  std::vector<Problem> problems;
  problems.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Picker picker(i);
    problems.push_back(make(picker));
    if (const auto valid = check(problems.back()); !valid) {
      return userError("{}: {}; shorten the sweep's lists", nameOf(problems.back()),
                       valid.error().message);
    }
  }
  return problems;
}

}  // namespace hone::model
