#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/strategy/gaussian_process.h"

namespace hone::search {

/// A forest of regression trees with random cuts. The deviation of a prediction is the disagreement
/// of the trees.
class Forest {
 public:
  using Row = std::span<const float>;

  explicit Forest(std::uint64_t seed) : random_(seed) {}

  void fit(const std::vector<Row>& rows, const std::vector<double>& targets);
  [[nodiscard]] Prediction predict(Row row) const;

 private:
  struct Node {
    std::uint32_t feature = 0;
    float cut = 0;          ///< values up to the cut go left
    std::size_t right = 0;  ///< index of the right child; the left one is next; 0: a leaf
    double mean = 0;
  };

  void grow(const std::vector<Row>& rows, const std::vector<double>& targets,
            std::span<std::size_t> members);
  [[nodiscard]] std::size_t cutBest(const std::vector<Row>& rows,
                                    const std::vector<double>& targets,
                                    std::span<std::size_t> members, Node& node);

  Random random_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
};

}  // namespace hone::search
