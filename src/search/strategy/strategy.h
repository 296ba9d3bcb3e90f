#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/space/space.h"

namespace hone::search {

/// Chooses the next points to try from the results so far (ask-and-tell interface).
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  Strategy(Strategy&&) = delete;
  Strategy& operator=(Strategy&&) = delete;
  virtual ~Strategy() = default;

  /// Returns up to `count` points that were not requested before; fewer when the space is
  /// exhausted.
  [[nodiscard]] virtual std::vector<std::size_t> ask(std::size_t count) = 0;
  /// Reports the time of a point, or nothing if it failed. Accepts points that were not requested.
  virtual void tell(std::size_t point, std::optional<double> timeNs) = 0;
};

/// Initial knowledge of a strategy.
struct StrategyOptions {
  std::uint64_t seed = 1;
  /// Points to try first, most promising first.
  std::vector<std::size_t> first{};
  /// Cost of a point by a static model, in any unit; null if there is no model.
  std::function<double(std::size_t)> guess{};
};

/// Creates the strategy "random", "exhaustive", "evolve" or "model"; fails with a user error that
/// lists the names. The space must outlive the strategy.
[[nodiscard]] Result<std::unique_ptr<Strategy>> makeStrategy(std::string_view name,
                                                             const Space& space,
                                                             const StrategyOptions& options);

}  // namespace hone::search
