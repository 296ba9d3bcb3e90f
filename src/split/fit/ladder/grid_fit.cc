#include "split/fit/ladder/grid_fit.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "split/fit/ladder/grid.h"
#include "split/fit/ladder/rung_price.h"

namespace hone::split {
namespace {

constexpr std::size_t kMaxBands = 6;
constexpr std::size_t kMaxLimitsPerBand = 4;
/// Cost of an impossible fit. Sums of it do not overflow.
constexpr Objective kInfiniteCost{.unmeasured = std::numeric_limits<std::int32_t>::max()};

Objective rungCost(double price, std::size_t rungs) {
  return {.value = price * static_cast<double>(rungs)};
}

/// The cheapest assignment of a given number of limits to columns [c0, c1) of the grid, ascending
/// in rows.
struct BandFit {
  Objective cost = kInfiniteCost;
  std::array<std::size_t, kMaxLimitsPerBand> ends{};  ///< end row of each limit
};

/// Indexed by the number of limits - 1.
using BandFits = std::array<BandFit, kMaxLimitsPerBand>;

BandFits fitBand(const Grid& grid, std::size_t c0, std::size_t c1) {
  const Strip strip = grid.strip(c0, c1);
  // fits[r][n]: n + 1 limits for the rows before r.
  std::vector<BandFits> fits(grid.rows() + 1);
  for (std::size_t r1 = 1; r1 <= grid.rows(); ++r1) {
    fits[r1][0] = {strip.computeCost(0, r1), {{r1}}};
    for (std::size_t r0 = 1; r0 < r1; ++r0) {
      const Objective last = strip.computeCost(r0, r1);
      for (std::size_t n = 1; n < kMaxLimitsPerBand; ++n) {
        const BandFit& before = fits[r0][n - 1];
        if (before.cost + last < fits[r1][n].cost) {
          fits[r1][n] = {before.cost + last, before.ends};
          fits[r1][n].ends[n] = r1;
        }
      }
    }
  }
  return fits[grid.rows()];
}

Band makeBand(const Grid& grid, std::size_t c0, std::size_t c1, const BandFit& fit) {
  Band band{grid.outputAbove(c1 - 1), {}, 1};
  const Strip strip = grid.strip(c0, c1);
  std::size_t r0 = 0;
  for (const std::size_t r1 : fit.ends) {
    band.limit = strip.limitFor(r0, r1);
    if (r1 == grid.rows()) {
      break;
    }
    band.steps.push_back({grid.reductionAbove(r1 - 1), band.limit});
    r0 = r1;
  }
  return band;
}

std::int64_t limitIn(const Band& band, std::int64_t reductionSize) {
  for (const Step& step : band.steps) {
    if (reductionSize < step.reductionBelow) {
      return step.limit;
    }
  }
  return band.limit;
}

std::int64_t smallestLimit(const Band& band) {
  std::int64_t least = band.limit;
  for (const Step& step : band.steps) {
    least = std::min(least, step.limit);
  }
  return least;
}

/// Returns true if no reduction size has a larger limit in the upper band.
bool descends(const Band& lower, const Band& upper) {
  std::vector<std::int64_t> sizes = {0};
  for (const Band* band : {&lower, &upper}) {
    for (const Step& step : band->steps) {
      sizes.push_back(step.reductionBelow);
    }
  }
  return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) {
    return limitIn(lower, size) >= limitIn(upper, size);
  });
}

/// Fits of all bands of a grid, from which the best ladder at any price is assembled.
class Ladders {
 public:
  explicit Ladders(const Cases& cases) : grid_(cases) {
    for (std::size_t c0 = 0; c0 < grid_.columns(); ++c0) {
      bands_.emplace_back();
      for (std::size_t c1 = c0 + 1; c1 <= grid_.columns(); ++c1) {
        bands_.back().push_back(fitBand(grid_, c0, c1));
      }
    }
  }

  [[nodiscard]] Ladder bestAt(double price) const {
    // best[b][c]: the columns before c in b bands.
    std::vector<std::vector<Partial>> best(kMaxBands + 1,
                                           std::vector<Partial>(grid_.columns() + 1));
    best[0][0].cost = {};
    Partial whole;
    for (std::size_t b = 0; b <= kMaxBands; ++b) {
      for (std::size_t c0 = 0; c0 <= grid_.columns(); ++c0) {
        const Partial& before = best[b][c0];
        if (const Objective cap = grid_.capFrom(c0)->cost; before.cost + cap < whole.cost) {
          whole = before;
          whole.cost += cap;
        }
        for (std::size_t c1 = c0 + 1; b < kMaxBands && c1 <= grid_.columns(); ++c1) {
          extend(before, c0, c1, price, best[b + 1][c1]);
        }
      }
    }
    return makeLadder({whole.bands.begin(), whole.bands.begin() + whole.count}, price);
  }

 private:
  struct Chosen {
    std::size_t c0 = 0, c1 = 0, limits = 0;  ///< `limits` is the number of limits - 1
  };
  struct Partial {
    Objective cost = kInfiniteCost;
    std::size_t count = 0;
    std::array<Chosen, kMaxBands> bands{};
  };

  [[nodiscard]] const BandFits& bandFits(std::size_t c0, std::size_t c1) const {
    return bands_[c0][c1 - c0 - 1];
  }

  void extend(const Partial& before, std::size_t c0, std::size_t c1, double price,
              Partial& into) const {
    for (std::size_t n = 0; n < kMaxLimitsPerBand; ++n) {
      const Objective cost = before.cost + bandFits(c0, c1)[n].cost + rungCost(price, n + 1);
      if (cost < into.cost) {
        into = before;
        into.cost = cost;
        into.bands[into.count++] = {c0, c1, n};
      }
    }
  }

  /// Returns the cheapest number of limits for these columns.
  [[nodiscard]] Chosen cheapest(std::size_t c0, std::size_t c1, double price) const {
    Chosen chosen{c0, c1, 0};
    const auto cost = [&](std::size_t n) {
      return bandFits(c0, c1)[n].cost + rungCost(price, n + 1);
    };
    for (std::size_t n = 1; n < kMaxLimitsPerBand; ++n) {
      chosen.limits = cost(n) < cost(chosen.limits) ? n : chosen.limits;
    }
    return chosen;
  }

  [[nodiscard]] std::vector<Band> makeBands(const std::vector<Chosen>& chosen) const {
    std::vector<Band> bands;
    for (const auto& [c0, c1, limits] : chosen) {
      bands.push_back(makeBand(grid_, c0, c1, bandFits(c0, c1)[limits]));
    }
    return bands;
  }

  /// Merges neighbours until limits do not grow with the output size.
  [[nodiscard]] Ladder makeLadder(std::vector<Chosen> chosen, double price) const {
    while (true) {
      Ladder ladder{makeBands(chosen), 1};
      const auto rise = std::adjacent_find(
          ladder.bands.begin(), ladder.bands.end(),
          [](const Band& lower, const Band& upper) { return !descends(lower, upper); });
      if (rise != ladder.bands.end()) {
        const auto at = chosen.begin() + (rise - ladder.bands.begin());
        *at = cheapest(at->c0, std::next(at)->c1, price);
        chosen.erase(std::next(at));
        continue;
      }
      const std::size_t end = chosen.empty() ? 0 : chosen.back().c1;
      const auto cap = chosen.empty() ? grid_.capFrom(end)
                                      : grid_.capFrom(end, smallestLimit(ladder.bands.back()));
      if (cap || end == grid_.columns()) {
        ladder.cap = cap ? cap->limit : smallestLimit(ladder.bands.back());
        return ladder;
      }
      chosen.back() = cheapest(chosen.back().c0, grid_.columns(), price);
    }
  }

  Grid grid_;
  std::vector<std::vector<BandFits>> bands_;  ///< by first column, then by number of columns
};

}  // namespace

Ladder fitGrid(const Cases& cases) {
  return fitAtBestPrice(cases, [](const Cases& some) -> LadderAt {
    return [ladders = Ladders(some)](double price) { return ladders.bestAt(price); };
  });
}

}  // namespace hone::split
