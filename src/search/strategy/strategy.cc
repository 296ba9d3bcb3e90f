#include "search/strategy/strategy.h"

#include <array>

#include "search/strategy/evolve.h"
#include "search/strategy/listed_order.h"
#include "search/strategy/model.h"

namespace hone::search {
namespace {

struct Named {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const Space&, const StrategyOptions&);
};

constexpr std::array kStrategies = {Named{"random", makeRandom},
                                    Named{"exhaustive", makeExhaustive},
                                    Named{"evolve", makeEvolve}, Named{"model", makeModel}};

}  // namespace

Result<std::unique_ptr<Strategy>> makeStrategy(std::string_view name, const Space& space,
                                               const StrategyOptions& options) {
  std::string names;
  for (const Named& one : kStrategies) {
    if (one.name == name) {
      return one.make(space, options);
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  }
  return userError("unknown strategy '{}'; expected one of {}", name, names);
}

}  // namespace hone::search
