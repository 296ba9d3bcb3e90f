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

/// Decides what to try next in a space, from how what was tried did.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  Strategy(Strategy&&) = delete;
  Strategy& operator=(Strategy&&) = delete;
  virtual ~Strategy() = default;

  /// At most so many points that were never asked for before; fewer, down to none, as the space is
  /// used up.
  [[nodiscard]] virtual std::vector<std::size_t> ask(std::size_t count) = 0;
  /// How a point did: its time, or nothing where it failed. Also of points that were not asked
  /// for.
  virtual void tell(std::size_t point, std::optional<double> timeNs) = 0;
};

/// What a strategy may start from.
struct StrategyOptions {
  std::uint64_t seed = 1;
  /// Points to begin with, the likeliest first.
  std::vector<std::size_t> first{};  // NOLINT(readability-redundant-member-init): g++ warns without
  /// What a static model thinks that a point costs, in any unit; nothing: no opinion.
  std::function<double(std::size_t)>
      guess{};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// "random", "exhaustive", "evolve", "model"; another name is a user error that lists them. The
/// space must outlive the strategy.
[[nodiscard]] Result<std::unique_ptr<Strategy>> makeStrategy(std::string_view name,
                                                             const Space& space,
                                                             const StrategyOptions& options);

}  // namespace hone::search
