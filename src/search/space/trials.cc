#include "search/space/trials.h"

#include <algorithm>

namespace hone::search {

void Trials::use(std::size_t point) {
  usedCount_ += used_[point] ? 0 : 1;
  used_[point] = true;
}

void Trials::tell(std::size_t point, std::optional<double> timeNs) {
  use(point);
  const auto [at, isNew] = place_.emplace(point, told_.size());
  if (isNew) {
    told_.push_back({point, std::nullopt});
  }
  Trial& trial = told_[at->second];
  succeeded_ -= trial.timeNs ? 1 : 0;
  trial.timeNs = timeNs;
  succeeded_ += trial.timeNs ? 1 : 0;
}

std::vector<std::size_t> Trials::byTime() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < told_.size(); ++i) {
    if (told_[i].timeNs) {
      numbers.push_back(i);
    }
  }
  std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    return *told_[a].timeNs < *told_[b].timeNs;
  });
  return numbers;
}

}  // namespace hone::search
