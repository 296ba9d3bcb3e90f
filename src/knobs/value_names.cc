#include "knobs/value_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "knobs/pipeline_text.h"

namespace hone::knobs {
namespace {

constexpr std::string_view kPipelineKey = "pipeline";

/// Returns the key of the configuration entry that names the knob's value; "" if there is none.
std::string_view attributeKey(std::string_view knob) {
  return knob == kPipelineKey ? kPipelineKey : knob == "mma_idx" ? "mma_kind" : "";
}

}  // namespace

std::string parseAttributeName(std::string_view compilationInfo, std::string_view key) {
  const std::string sought = fmt::format("{} = ", key);
  const std::size_t at = compilationInfo.find(sought);
  const std::size_t open = at == std::string_view::npos ? at : compilationInfo.find('<', at);
  const std::size_t close = open == std::string_view::npos ? open : compilationInfo.find('>', open);
  return close == std::string_view::npos
             ? ""
             : std::string(compilationInfo.substr(open + 1, close - open - 1));
}

Result<std::vector<std::string>> valueNames(const KnobModel& model, std::size_t knob) {
  const search::Knob& asked = model.space.knobs()[knob];
  const std::string_view key = attributeKey(asked.name);
  // The meaning of a number may depend on the pipeline, which is the first knob.
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> examples;
  for (std::size_t p = 0; p < model.space.size() && !key.empty(); ++p) {
    examples.try_emplace({model.space.point(p)[knob], model.space.point(p)[0]}, p);
  }
  std::vector<std::size_t> points;
  for (const auto& [values, point] : examples) {
    points.push_back(point);
  }
  const auto infos =
      points.empty() ? std::vector<std::string>() : HONE_TRY(model.compilationInfos(points));
  std::map<std::int64_t, std::set<std::string>> names;
  auto info = infos.begin();
  for (const auto& [values, point] : examples) {
    const std::string name =
        key == kPipelineKey ? std::string(readPipeline(*info)) : parseAttributeName(*info, key);
    ++info;
    if (!name.empty()) {
      names[values.first].insert(name);
    }
  }
  std::vector<std::string> shown;
  for (const std::int64_t value : asked.values) {
    const auto known = names.find(value);
    shown.push_back(known == names.end()
                        ? std::to_string(value)
                        : fmt::format("{} ({})", value, fmt::join(known->second, " or ")));
  }
  return shown;
}

}  // namespace hone::knobs
