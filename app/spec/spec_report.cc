#include "app/spec/spec_report.h"

#include <fmt/ranges.h>

#include "base/text/text.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

std::string shownUse(const iree::SpecUse& use) {
  std::string text = use.dispatch;
  if (!use.configured) {
    text += " (ignored by the compiler)";
  } else if (!use.onRoot) {
    text += " (not its root operation)";
  } else if (use.asDefault) {
    text += " (same as the default)";
  }
  return text;
}

std::string remarks(const iree::SpecCheck& check) {
  std::string text;
  if (!check.refused.empty()) {
    text += fmt::format("compile error with this spec: {}\n", check.refused);
  }
  if (!check.untouched.empty()) {
    text += fmt::format("not matched, compiled with defaults: {}\n", join(check.untouched, ", "));
  }
  if (!check.takesSpecFlag) {
    text += fmt::format(
        "the compiler ignores --iree-codegen-tuning-spec-path for {}; use {} or hone spec apply\n",
        join(check.backends, ", "), check.flag);
  }
  return text;
}

}  // namespace

std::string specTable(const iree::Spec& spec) {
  report::Table table({{"entry", report::Align::left, 24},
                       {"matches", report::Align::left, 30},
                       {"configuration", report::Align::left, 30}});
  for (const iree::ReadEntry& entry : spec.entries) {
    table.add({entry.name, shown(entry.matched), shownConfig(entry)});
  }
  return table.text(report::outputWidth());
}

nlohmann::json toJson(const iree::Spec& spec) {
  nlohmann::json entries = nlohmann::json::array();
  for (const iree::ReadEntry& entry : spec.entries) {
    nlohmann::json sizes = nlohmann::json::object();
    for (const iree::MatchedSizes& one : entry.matched.sizes) {
      sizes[one.name] = one.values;
    }
    entries.push_back({{"entry", entry.name},
                       {"comment", entry.comment},
                       {"kind", entry.matched.kind},
                       {"op", entry.matched.op},
                       {"types", entry.matched.types},
                       {"sizes", std::move(sizes)},
                       {"lowering_config", entry.loweringConfig},
                       {"translation_info", entry.translationInfo}});
  }
  return {{"file", spec.file.string()}, {"entries", std::move(entries)}};
}

std::string checkText(const iree::SpecCheck& check) {
  report::Table table(
      {{"entry", report::Align::left, 24}, {"applied to", report::Align::left, 24}});
  for (const iree::EntryUse& entry : check.entries) {
    std::vector<std::string> uses;
    for (const iree::SpecUse& use : entry.uses) {
      uses.push_back(shownUse(use));
    }
    const std::string nothing = check.refused.empty() ? "no matching operation" : "";
    table.add({entry.entry, uses.empty() ? nothing : join(uses, ", ")});
  }
  return table.text(report::outputWidth()) + remarks(check);
}

nlohmann::json toJson(const iree::SpecCheck& check) {
  nlohmann::json entries = nlohmann::json::array();
  for (const iree::EntryUse& entry : check.entries) {
    nlohmann::json uses = nlohmann::json::array();
    for (const iree::SpecUse& use : entry.uses) {
      uses.push_back({{"dispatch", use.dispatch},
                      {"configured", use.configured},
                      {"on_root", use.onRoot},
                      {"as_default", use.asDefault}});
    }
    entries.push_back({{"entry", entry.entry}, {"uses", std::move(uses)}});
  }
  return {{"good", check.good()},         {"entries", std::move(entries)},
          {"untouched", check.untouched}, {"backends", check.backends},
          {"flag", check.flag},           {"takes_spec_flag", check.takesSpecFlag},
          {"refused", check.refused}};
}

}  // namespace hone::app
