#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/strategy/gaussian_process.h"

namespace hone::search {

/// Regression trees with random cuts; how far they disagree says how unsure they are.
class Forest {
 public:
  using Row = std::span<const float>;

  explicit Forest(std::uint64_t seed) : random_(seed) {}

  void fit(const std::vector<Row>& rows, const std::vector<double>& targets);
  [[nodiscard]] Prediction predict(Row row) const;

 private:
  struct Node {
    std::uint32_t feature = 0;
    float cut = 0;          ///< up to it goes left
    std::size_t right = 0;  ///< left is the next; 0: a leaf
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
