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

/// Explains why an entry matches nothing; "" if it is unknown.
std::string explainMiss(const iree::EntryUse& entry) {
  if (!entry.nearMiss) {
    return "";
  }
  const iree::NearMiss& near = *entry.nearMiss;
  if (!entry.shadowedBy.empty()) {
    return fmt::format("{}: {} matches {} in {} before it\n", entry.entry, entry.shadowedBy,
                       near.op, near.dispatch);
  }
  const std::string closest = iree::shown(near);
  return closest.empty()
             ? ""
             : fmt::format(
                   "{}: {}{}\n", entry.entry, closest,
                   near.sameComputation ? "; hone spec upgrade fits the matcher to it" : "");
}

nlohmann::json toJson(const iree::NearMiss& near) {
  nlohmann::json differences = nlohmann::json::array();
  for (const iree::FormDifference& one : near.differences) {
    differences.push_back({{"part", nameOf(one.part)},
                           {"what", one.what},
                           {"expected", one.expected},
                           {"found", one.found}});
  }
  return {{"dispatch", near.dispatch},
          {"op", near.op},
          {"differences", std::move(differences)},
          {"missing_kind", near.missingKind},
          {"not_evaluated", near.unread},
          {"same_computation", near.sameComputation}};
}

std::string remarks(const iree::SpecCheck& check) {
  std::string text;
  for (const iree::EntryUse& entry : check.entries) {
    text += explainMiss(entry);
  }
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
    if (entry.nearMiss) {
      entries.back()["closest"] = toJson(*entry.nearMiss);
    }
    if (!entry.shadowedBy.empty()) {
      entries.back()["shadowed_by"] = entry.shadowedBy;
    }
  }
  return {{"good", check.good()},         {"entries", std::move(entries)},
          {"untouched", check.untouched}, {"backends", check.backends},
          {"flag", check.flag},           {"takes_spec_flag", check.takesSpecFlag},
          {"refused", check.refused}};
}

std::string upgradeText(const iree::SpecUpgrade& upgraded) {
  std::string text;
  for (const iree::UpgradedEntry& entry : upgraded.entries) {
    if (!entry.failure.empty()) {
      text += fmt::format("{}: cannot be upgraded: {}\n", entry.entry, entry.failure);
    } else if (entry.changes.empty()) {
      text += fmt::format("{}: unchanged\n", entry.entry);
    } else {
      text += fmt::format("{}:\n  {}\n", entry.entry, join(entry.changes, "\n  "));
    }
  }
  if (upgraded.compiled) {
    const iree::SpecCompiled& compiled = *upgraded.compiled;
    text += checkText(compiled.check);
    text += compiled.compiled.module.empty()
                ? fmt::format("compile error with the spec: {}\n", compiled.compiled.report.message)
                : "the program compiles with the spec\n";
  }
  return text;
}

nlohmann::json toJson(const iree::SpecUpgrade& upgraded) {
  nlohmann::json entries = nlohmann::json::array();
  for (const iree::UpgradedEntry& entry : upgraded.entries) {
    entries.push_back(
        {{"entry", entry.entry}, {"changes", entry.changes}, {"failure", entry.failure}});
  }
  nlohmann::json json = {{"good", upgraded.good()},
                         {"current", upgraded.current},
                         {"entries", std::move(entries)},
                         {"spec", upgraded.text}};
  if (upgraded.compiled) {
    json["check"] = toJson(upgraded.compiled->check);
    json["message"] = upgraded.compiled->compiled.report.message;
  }
  return json;
}

}  // namespace hone::app
