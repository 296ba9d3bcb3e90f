#include "split/choices.h"

#include <algorithm>

#include "base/text.h"
#include "split/rule.h"

namespace hone::split {

std::string Choice::name() const {
  std::vector<std::string> parts;
  if (isBaseline) {
    parts.emplace_back("baseline");
  }
  if (isNoSplit) {
    parts.emplace_back("no split");
  }
  for (const std::int64_t limit : limits) {
    parts.push_back(fmt::format("limit {}", limit));
  }
  return join(parts, ", ");
}

iree::SplitSizes Choice::splitSizes() const {
  return sizes.empty() ? iree::SplitSizes{} : iree::SplitSizes{sizes};
}

std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                     std::optional<std::int64_t> limit) {
  return limit ? sizesFor(reduction, *limit).value_or(std::vector<std::int64_t>{})
               : std::vector<std::int64_t>{};
}

std::vector<Choice> choicesFor(const std::optional<model::Reduction>& reduction,
                               const std::vector<std::int64_t>& compilersOwn,
                               std::span<const std::int64_t> limits) {
  std::vector<Choice> choices;
  const auto with = [&](const std::vector<std::int64_t>& sizes) -> Choice& {
    const auto at = std::find_if(choices.begin(), choices.end(),
                                 [&](const Choice& choice) { return choice.sizes == sizes; });
    if (at != choices.end()) {
      return *at;
    }
    choices.emplace_back().sizes = sizes;
    return choices.back();
  };
  with(compilersOwn).isBaseline = true;
  with({}).isNoSplit = true;
  for (const std::int64_t limit : limits) {
    with(reduction ? sizesUnder(*reduction, limit) : std::vector<std::int64_t>{})
        .limits.push_back(limit);
  }
  return choices;
}

}  // namespace hone::split
