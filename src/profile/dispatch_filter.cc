#include "profile/dispatch_filter.h"

#include <algorithm>

#include "base/text/text.h"

namespace hone::profile {
namespace {

/// Translates stars that are meant as wildcards to ".*".
std::string withStars(std::string_view text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*' && i > 0 && text[i - 1] == '*' && (i < 2 || text[i - 2] != '\\')) {
      continue;  // a second star adds nothing, and RE2 rejects it
    }
    const bool repeats = i > 0 && std::string_view(".)]\\*").contains(text[i - 1]);
    pattern += text[i] == '*' && !repeats ? ".*" : std::string(1, text[i]);
  }
  return pattern;
}

}  // namespace

Result<DispatchFilter> DispatchFilter::from(std::string_view text, std::string_view option) {
  DispatchFilter filter;
  filter.text_ = text;
  for (const std::string& part : splitAt(text, ',')) {
    if (trim(part).empty()) {
      continue;
    }
    auto pattern = Regex::compile(withStars(trim(part)));
    if (!pattern) {
      return within(std::string(option), std::move(pattern).error());
    }
    filter.patterns_.push_back(std::move(*pattern));
  }
  return filter;
}

bool DispatchFilter::takes(std::string_view kind, const std::string& operation,
                           const std::string& dispatch) const {
  return patterns_.empty() ||
         std::any_of(patterns_.begin(), patterns_.end(), [&](const Regex& pattern) {
           return pattern.matches(dispatch) || pattern.matches(operation) || pattern.matches(kind);
         });
}

std::vector<std::string> nearestNames(std::string_view text, std::span<const std::string> names,
                                      std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    ranked.emplace_back(editDistance(text, name), name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    nearest.push_back(std::move(ranked[i].second));
  }
  return nearest;
}

}  // namespace hone::profile
