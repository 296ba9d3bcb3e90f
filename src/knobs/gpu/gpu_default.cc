#include "knobs/gpu/gpu_default.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/text/text.h"
#include "knobs/config_text.h"

namespace hone::knobs {
namespace {

/// Returns the text at a place of the attribute: for "basis[0][1]", the second element of the first
/// list of "basis".
std::string_view textAt(std::string_view attribute, std::string_view place) {
  const std::size_t bracket = std::min(place.find('['), place.size());
  const std::size_t dot = place.substr(0, bracket).rfind('.');
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  std::string_view text = findEntry(attribute, place.substr(begin, bracket - begin));
  for (const std::string& part : splitAt(place.substr(bracket), '[')) {
    if (const auto index = parseInt(part.substr(0, part.find(']')))) {
      text = listElement(text, static_cast<std::size_t>(*index));
    }
  }
  return text;
}

std::optional<std::int64_t> parseValue(std::string_view text, const iree::Knob& knob) {
  for (std::size_t i = 0; i < knob.options.size(); ++i) {
    if (text.starts_with(knob.options[i])) {
      return static_cast<std::int64_t>(i);
    }
  }
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  return knob.options.empty() ? parseInt(text.substr(0, digits)) : std::nullopt;
}

/// Returns the distance of two values: 0 if equal; for sizes, the logarithm of their ratio.
double difference(const search::Knob& knob, std::int64_t a, std::int64_t b) {
  constexpr double kUnrelated = 4;
  if (a == b) {
    return 0;
  }
  if (!knob.ordered || a < 0 || b < 0) {
    return kUnrelated;
  }
  return std::abs(std::log2(static_cast<double>(a + 1) / static_cast<double>(b + 1)));
}

}  // namespace

std::optional<std::map<std::string, std::int64_t>> chosenByCompiler(
    const iree::PipelineConstraints& constraints, const model::RootOperation& root) {
  if (!namesPipeline(root.translationInfo, constraints.pipeline)) {
    return std::nullopt;
  }
  std::map<std::string, std::int64_t> chosen;
  for (const iree::Knob& knob : constraints.knobs) {
    for (const std::string& attribute : {root.loweringConfig, root.translationInfo}) {
      if (const auto value = parseValue(textAt(attribute, knob.place), knob)) {
        chosen.emplace(knob.name, *value);
      }
    }
  }
  return chosen;
}

std::optional<std::size_t> nearestPoint(const search::Space& space,
                                        const std::map<std::string, std::int64_t>& values) {
  constexpr std::int64_t kUnspecified = -1;
  std::vector<std::optional<std::int64_t>> wanted;
  for (const search::Knob& knob : space.knobs()) {
    const auto named = values.find(knob.name);
    const bool optional = !knob.values.empty() && knob.values.front() == kUnspecified;
    wanted.push_back(named != values.end() ? std::optional(named->second)
                     : optional            ? std::optional(kUnspecified)
                                           : std::nullopt);
  }
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < space.size(); ++i) {
    double distance = 0;
    for (std::size_t k = 0; k < wanted.size() && distance < least; ++k) {
      distance += wanted[k] ? difference(space.knobs()[k], space.point(i)[k], *wanted[k]) : 0;
    }
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace hone::knobs
