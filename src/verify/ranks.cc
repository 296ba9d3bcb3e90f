#include "verify/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace hone::verify {
namespace {

constexpr std::size_t kComparedPlaces = 5;

/// Returns the number of classes; 0 if the shape is not that of scores.
std::int64_t countClasses(const std::vector<std::int64_t>& shape) {
  std::span<const std::int64_t> dims = shape;
  while (dims.size() > 2 && dims.back() == 1) {
    dims = dims.first(dims.size() - 1);
  }
  return dims.empty() || dims.size() > 2 || dims.back() < 2 ? 0 : dims.back();
}

/// Returns the classes with the highest scores, best first.
std::vector<std::size_t> findBestClasses(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto places = std::min(kComparedPlaces, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(places), order.end(),
                    [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(places);
  return order;
}

}  // namespace

std::string RankMismatch::describe() const {
  return fmt::format("row {}: class {} is ahead of class {}, which has place {} in the reference",
                     row, actual, expected, place + 1);
}

bool isClassification(const Tensor& tensor) {
  return model::isFloat(tensor.type.element) && countClasses(tensor.type.shape) > 0;
}

std::optional<RankMismatch> compareRanks(const Tensor& actual, const Tensor& expected, double gap) {
  if (!isClassification(expected)) {
    return std::nullopt;
  }
  const auto classes = static_cast<std::size_t>(countClasses(expected.type.shape));
  const std::vector<double> was = toNumbers<double>(expected);
  const std::vector<double> is = toNumbers<double>(actual);
  for (std::size_t begin = 0; begin + classes <= was.size(); begin += classes) {
    const auto expectedRow = std::span(was).subspan(begin, classes);
    const auto actualRow = std::span(is).subspan(begin, classes);
    const std::vector<std::size_t> best = findBestClasses(expectedRow);
    for (std::size_t place = 0; place < best.size(); ++place) {
      const std::size_t leader = best[place];
      for (std::size_t other = 0; other < classes; ++other) {
        if (expectedRow[leader] - expectedRow[other] > gap &&
            actualRow[other] >= actualRow[leader]) {
          return RankMismatch{static_cast<std::int64_t>(begin / classes),
                              static_cast<std::int64_t>(place), static_cast<std::int64_t>(leader),
                              static_cast<std::int64_t>(other)};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace hone::verify
