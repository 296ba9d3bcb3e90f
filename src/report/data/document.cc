#include "report/data/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace hone::report {
namespace {

using nlohmann::json;

/// Rounds to six digits: more than the precision of any measurement, and a third of the bytes.
double rounded(double value) {
  std::array<char, 32> text{};
  const auto end = fmt::format_to_n(text.data(), text.size(), "{:.6g}", value).out;
  std::from_chars(text.data(), end, value);
  return value;
}

/// Returns null for NaN and infinities, which JSON cannot represent.
json toNumber(double value) {
  constexpr double kExact = 1e15;
  if (!std::isfinite(value)) {
    return nullptr;
  }
  if (value == std::trunc(value) && std::abs(value) < kExact) {
    return static_cast<std::int64_t>(value);
  }
  return rounded(value);
}

json toNumbers(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) {
    list.push_back(toNumber(value));
  }
  return list;
}

/// Encodes repeated texts as a dictionary: {"texts": […], "at": [indices]}.
json toTexts(const std::vector<std::string>& texts) {
  std::unordered_map<std::string, std::size_t> known;
  json distinct = json::array();
  json at = json::array();
  for (const std::string& text : texts) {
    const auto [place, added] = known.try_emplace(text, known.size());
    if (added) {
      distinct.push_back(text);
    }
    at.push_back(place->second);
  }
  if (2 * distinct.size() > texts.size()) {
    return texts;
  }
  return {{"texts", std::move(distinct)}, {"at", std::move(at)}};
}

json axisJson(const Axis& axis) {
  json json = {{"label", axis.label}, {"unit", axis.unit}};
  if (axis.log) {
    json["log"] = true;
  }
  if (!axis.ticks.empty()) {
    json["ticks"] = toNumbers(axis.ticks);
  }
  return json;
}

std::string_view nameOf(Role role) {
  constexpr std::array<std::string_view, 5> kNames = {"plain", "baseline", "winner", "failed",
                                                      "faint"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view nameOf(Draw draw) {
  constexpr std::array<std::string_view, 3> kNames = {"points", "line", "steps"};
  return kNames[static_cast<std::size_t>(draw)];
}

void addInterval(json& to, const std::vector<double>& low, const std::vector<double>& high) {
  if (!low.empty()) {
    to["low"] = toNumbers(low);
    to["high"] = toNumbers(high);
  }
}

json seriesJson(const Series& series) {
  json json = {{"name", series.name},
               {"x", toNumbers(series.x)},
               {"y", toNumbers(series.y)},
               {"draw", nameOf(series.draw)},
               {"role", nameOf(series.role)}};
  addInterval(json, series.low, series.high);
  if (!series.labels.empty()) {
    json["labels"] = toTexts(series.labels);
  }
  return json;
}

json groupJson(const Bars::Group& group) {
  json json = {
      {"name", group.name}, {"values", toNumbers(group.values)}, {"role", nameOf(group.role)}};
  addInterval(json, group.low, group.high);
  return json;
}

json columnJson(const DataTable::Column& column) {
  json json = {{"name", column.name}};
  if (!column.unit.empty()) {
    json["unit"] = column.unit;
  }
  if (column.leadsTo != nullptr) {
    json["leads_to"] = column.leadsTo;
  }
  if (column.texts.empty()) {
    json["numbers"] = toNumbers(column.numbers);
  } else {
    json["texts"] = toTexts(column.texts);
  }
  return json;
}

json makePart(std::string_view type, const std::string& title, const std::string& note) {
  json part = {{"type", type}, {"title", title}};
  if (!note.empty()) {
    part["note"] = note;
  }
  return part;
}

}  // namespace

void DataTable::addInterval(std::size_t column, const stats::Interval& interval) {
  columns[column].numbers.push_back(interval.estimate);
  columns[column + 1].numbers.push_back(interval.low);
  columns[column + 2].numbers.push_back(interval.high);
}

std::size_t DataTable::rows() const {
  std::size_t rows = 0;
  for (const Column& column : columns) {
    rows = std::max({rows, column.numbers.size(), column.texts.size()});
  }
  return rows;
}

void Parts::heading(const std::string& text) {
  list_.push_back({{"type", "heading"}, {"text", text}});
}

void Parts::add(const Plot& plot) {
  json part = makePart("plot", plot.title, plot.note);
  part["x"] = axisJson(plot.x);
  part["y"] = axisJson(plot.y);
  part["series"] = json::array();
  for (const Series& series : plot.series) {
    part["series"].push_back(seriesJson(series));
  }
  for (const Rule& rule : plot.rules) {
    part["rules"].push_back({{"of", rule.coordinate == Rule::Coordinate::x ? "x" : "y"},
                             {"at", toNumber(rule.at)},
                             {"label", rule.label}});
  }
  for (const Region& region : plot.regions) {
    part["regions"].push_back({{"left", toNumber(region.left)},
                               {"right", toNumber(region.right)},
                               {"bottom", toNumber(region.bottom)},
                               {"top", toNumber(region.top)},
                               {"label", region.label}});
  }
  list_.push_back(std::move(part));
}

void Parts::add(const Bars& bars) {
  json part = makePart("bars", bars.title, bars.note);
  part["value"] = axisJson(bars.value);
  part["names"] = bars.names;
  part["stacked"] = bars.stacked;
  part["base"] = toNumber(bars.base);
  part["rules"] = toNumbers(bars.rules);
  part["groups"] = json::array();
  for (const Bars::Group& group : bars.groups) {
    part["groups"].push_back(groupJson(group));
  }
  list_.push_back(std::move(part));
}

void Parts::add(const Graph& graph) {
  json part = makePart("graph", graph.title, graph.note);
  part["nodes"] = json::array();
  for (const Graph::Node& node : graph.nodes) {
    part["nodes"].push_back({{"label", node.label},
                             {"detail", node.detail},
                             {"row", node.row},
                             {"column", node.column},
                             {"role", nameOf(node.role)}});
  }
  part["edges"] = json::array();
  for (const Graph::Edge& edge : graph.edges) {
    part["edges"].push_back({{"from", edge.from}, {"to", edge.to}, {"label", edge.label}});
  }
  list_.push_back(std::move(part));
}

void Parts::add(const HeatMap& map) {
  json part = makePart("heat", map.title, map.note);
  part["x_label"] = map.xLabel;
  part["y_label"] = map.yLabel;
  part["columns"] = map.columns;
  part["rows"] = map.rows;
  part["value"] = axisJson(map.value);
  part["marked"] = map.marked;
  part["cells"] = json::array();
  for (const std::vector<double>& row : map.cells) {
    part["cells"].push_back(toNumbers(row));
  }
  list_.push_back(std::move(part));
}

void Parts::add(const ParallelCoordinates& lines) {
  json part = makePart("parallel", lines.title, lines.note);
  part["winner"] = lines.winner;
  part["knobs"] = json::array();
  for (const ParallelCoordinates::Knob& knob : lines.knobs) {
    part["knobs"].push_back({{"axis", axisJson(knob.axis)}, {"values", toNumbers(knob.values)}});
  }
  list_.push_back(std::move(part));
}

void Parts::add(const DataTable& table) {
  json part = makePart("table", table.title, table.note);
  part["empty"] = table.empty;
  part["folded"] = table.folded;
  part["rows"] = table.rows();
  part["columns"] = json::array();
  for (const DataTable::Column& column : table.columns) {
    part["columns"].push_back(columnJson(column));
  }
  list_.push_back(std::move(part));
}

void Parts::add(const TextBlock& text) {
  constexpr std::array<std::string_view, 3> kForms = {"words", "code", "diff"};
  json part = makePart("text", text.title, "");
  part["text"] = text.text;
  part["form"] = kForms[static_cast<std::size_t>(text.form)];
  part["folded"] = text.folded;
  list_.push_back(std::move(part));
}

void Parts::add(const Tabs& tabs) {
  json part = makePart("tabs", tabs.title, "");
  part["tabs"] = json::array();
  for (const auto& [name, parts] : tabs.tabs) {
    part["tabs"].push_back({{"name", name}, {"parts", parts.list()}});
  }
  list_.push_back(std::move(part));
}

void Parts::append(const Parts& others) {
  list_.insert(list_.end(), others.list_.begin(), others.list_.end());
}

json Document::json() const {
  constexpr std::array<std::string_view, 3> kTones = {"good", "plain", "bad"};
  return {{"title", title},
          {"answer",
           {{"headline", answer.headline},
            {"lines", answer.lines},
            {"tone", kTones[static_cast<std::size_t>(answer.tone)]}}},
          {"facts", facts},
          {"parts", list()}};
}

}  // namespace hone::report
