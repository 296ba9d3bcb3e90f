#include "app/tune/tunable_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "app/tune/dispatch_table.h"
#include "base/text/text.h"
#include "knobs/pipeline_text.h"
#include "knobs/value_names.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using report::Align;
using tune::TunableDispatch;

/// Returns the point with the compiler's default configuration, if it is among those to try first.
std::optional<std::size_t> defaultPoint(const knobs::KnobModel& model,
                                        const model::RootOperation& root) {
  const auto infos = model.compilationInfos ? model.compilationInfos(model.first)
                                            : Result<std::vector<std::string>>{};
  const std::string config = fmt::format("lowering_config = {},", root.loweringConfig);
  const auto sizesIn = [](std::string_view text) {
    const auto at = text.find("workgroup_size");
    return at == std::string_view::npos ? "" : text.substr(at, text.find(']', at) - at);
  };
  for (std::size_t i = 0; infos && i < infos->size(); ++i) {
    const std::string& info = (*infos)[i];
    if (info.contains(config) &&
        knobs::readPipeline(info) == knobs::readPipeline(root.translationInfo) &&
        sizesIn(info) == sizesIn(root.translationInfo)) {
      return model.first[i];
    }
  }
  return std::nullopt;
}

}  // namespace

std::string loopsText(const model::RootOperation& root) {
  std::vector<std::string> sizes;
  for (const model::Loop& loop : root.loops) {
    sizes.push_back(fmt::format("{}{}", loop.size < 0 ? "?" : std::to_string(loop.size),
                                loop.reduction ? "r" : ""));
  }
  return join(sizes, "x");
}

void printKnobs(const knobs::KnobModel& model, const model::RootOperation& root) {
  const auto& knobs = model.space.knobs();
  const auto chosen = defaultPoint(model, root);
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const auto names = knobs::valueNames(model, i);
    std::vector<std::string> values;
    for (std::size_t v = 0; v < knobs[i].values.size(); ++v) {
      // Fall back to the raw values.
      const std::string name = names ? (*names)[v] : std::to_string(knobs[i].values[v]);
      const bool compilers = chosen && model.space.point(*chosen)[i] == knobs[i].values[v];
      values.push_back(compilers ? fmt::format("[{}]", name) : name);
    }
    fmt::print("  {:28} {}\n", knobs[i].name, join(values, " "));
  }
}

void printTunables(const tune::WholeProgram& whole, const std::vector<TunableDispatch>& tunables) {
  fmt::print("{}\n", whole.program.label());
  report::Table table({{"dispatch", Align::left, kMinNameWidth},
                       {"calls", Align::right},
                       {"share", Align::right},
                       {"kind"},
                       {"loops", Align::left, 10},
                       {"space", Align::right},
                       {"tuned"}});
  Reasons reasons;
  SmallDispatches small;
  for (const TunableDispatch& tunable : tunables) {
    if (small.add(tunable)) {
      continue;
    }
    table.add({shortName(tunable.name), std::to_string(tunable.calls), formatShare(tunable),
               formatWork(tunable), loopsText(tunable.root), formatSpace(tunable),
               tunable.skipReason.empty() ? "yes" : "no"});
    reasons.add(notTuned(tunable), tunable);
  }
  if (const auto line = small.line()) {
    table.add({line->first, "", line->second, "", "", "", "no"});
  }
  fmt::print("{}", table.text(report::outputWidth()));
  reasons.print();
  for (const TunableDispatch& tunable : tunables) {
    if (SmallDispatches().add(tunable)) {
      continue;
    }
    fmt::print("\n{}\n  {}  {}\n  default: {}\n           {}\n", tunable.name, tunable.root.op,
               loopsText(tunable.root), tunable.root.loweringConfig, tunable.root.translationInfo);
    if (tunable.knobs) {
      printKnobs(*tunable.knobs, tunable.root);
    }
  }
}

}  // namespace hone::app
