#include "knobs/listed_knobs.h"

#include <algorithm>
#include <memory>
#include <set>

#include "search/space/diverse.h"

namespace hone::knobs {
namespace {

constexpr std::size_t kFirstListed = 12;

Sizes flat(const Tiling& tiling) {
  Sizes numbers = tiling.options;
  for (const Sizes& level : tiling.levels) {
    numbers.insert(numbers.end(), level.begin(), level.end());
  }
  return numbers;
}

/// Returns a tiling of the same form with other numbers.
Tiling withNumbers(Tiling tiling, const Sizes& numbers) {
  auto next = numbers.begin();
  const auto fill = [&](Sizes& sizes) {
    for (std::int64_t& size : sizes) {
      size = *next++;
    }
  };
  fill(tiling.options);
  std::for_each(tiling.levels.begin(), tiling.levels.end(), fill);
  return tiling;
}

std::vector<std::string> numberNames(const TilingForm& form, const Tiling& tiling) {
  std::vector<std::string> names = form.options;
  for (std::size_t level = 0; level < tiling.levels.size(); ++level) {
    for (std::size_t loop = 0; loop < tiling.levels[level].size(); ++loop) {
      names.push_back(fmt::format("{}.d{}", form.levels[level], loop));
    }
  }
  return names;
}

/// Removes the most expensive tilings above the limit. Always keeps the compiler's default.
std::vector<Tiling> keepCheapest(Listing& listing) {
  std::vector<Tiling>& tilings = listing.tilings;
  if (tilings.size() > listing.maxTilings) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < tilings.size(); ++i) {
      order.emplace_back(listing.guess(tilings[i]), i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Tiling> best;
    for (std::size_t i = 0; i < listing.maxTilings; ++i) {
      best.push_back(std::move(tilings[order[i].second]));
    }
    tilings = std::move(best);
  }
  if (listing.byDefault) {
    tilings.push_back(*listing.byDefault);
  }
  return std::move(tilings);
}

/// Maps tilings to points of the numbers in which they differ, and back.
class Numbering {
 public:
  Numbering(const TilingForm& form, const std::vector<Tiling>& tilings)
      : form_(tilings.front()), constant_(flat(tilings.front())) {
    const auto names = numberNames(form, form_);
    std::vector<std::set<std::int64_t>> values(constant_.size());
    for (const Tiling& tiling : tilings) {
      const Sizes numbers = flat(tiling);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        values[i].insert(numbers[i]);
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].size() > 1) {
        varying_.push_back(i);
        knobs_.push_back(
            {names[i], {values[i].begin(), values[i].end()}, i >= form.options.size()});
      }
    }
  }

  [[nodiscard]] const std::vector<search::Knob>& knobs() const { return knobs_; }

  [[nodiscard]] Sizes toPoint(const Tiling& tiling) const {
    const Sizes numbers = flat(tiling);
    Sizes point;
    for (const std::size_t i : varying_) {
      point.push_back(numbers[i]);
    }
    return point;
  }

  [[nodiscard]] Tiling toTiling(std::span<const std::int64_t> point) const {
    Sizes numbers = constant_;
    for (std::size_t i = 0; i < varying_.size(); ++i) {
      numbers[varying_[i]] = point[i];
    }
    return withNumbers(form_, numbers);
  }

 private:
  Tiling form_;
  Sizes constant_;
  std::vector<std::size_t> varying_;
  std::vector<search::Knob> knobs_;
};

}  // namespace

KnobModel listedModel(TilingForm form, Listing listing) {
  const bool complete = listing.tilings.size() <= listing.maxTilings;
  const std::vector<Tiling> tilings = keepCheapest(listing);
  const Numbering numbering(form, tilings);
  std::vector<Sizes> points;
  points.reserve(tilings.size());
  for (const Tiling& tiling : tilings) {
    points.push_back(numbering.toPoint(tiling));
  }
  const auto space = std::make_shared<const search::Space>(numbering.knobs(), std::move(points));
  auto costs = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < space->size(); ++i) {
    costs->push_back(listing.guess(numbering.toTiling(space->point(i))));
  }
  KnobModel model{*space, {}, {}, {}, complete};
  if (form.companions) {
    model.companionConfigs = [companions = form.companions, numbering,
                              space](std::span<const std::size_t> numbers) {
      std::vector<std::vector<CompanionConfig>> configs;
      for (const std::size_t number : numbers) {
        configs.push_back(companions(numbering.toTiling(space->point(number))));
      }
      return configs;
    };
  }
  model.compilationInfos = [form = std::move(form), numbering,
                            space](std::span<const std::size_t> numbers) {
    std::vector<std::string> texts;
    for (const std::size_t number : numbers) {
      texts.push_back(form.compilationInfo(numbering.toTiling(space->point(number))));
    }
    return Result<std::vector<std::string>>(std::move(texts));
  };
  model.guess = [costs](std::size_t number) { return costs->at(number); };
  if (listing.byDefault) {
    model.first.push_back(*space->find(numbering.toPoint(*listing.byDefault)));
  }
  search::addCheapest(*space, *costs, kFirstListed, model.first);
  return model;
}

}  // namespace hone::knobs
