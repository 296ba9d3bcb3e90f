#include "search/space/recording.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "model/result/json_reader.h"

namespace hone::search {
namespace {

using nlohmann::json;

json toJson(const Knob& knob) {
  return {{"name", knob.name}, {"values", knob.values}, {"ordered", knob.ordered}};
}

json toJson(const RecordedPoint& point) {
  json written = {{"values", point.values}};
  if (point.timeNs) {
    written["time_ns"] = *point.timeNs;
  } else {
    written["failure"] = point.failure;
  }
  if (point.guess) {
    written["guess"] = *point.guess;
  }
  return written;
}

template <typename T>
std::string lines(const std::vector<T>& all) {
  std::string text;
  for (const T& one : all) {
    text += fmt::format("{}\n  {}", text.empty() ? "" : ",",
                        toJson(one).dump(-1, ' ', false, json::error_handler_t::replace));
  }
  return text;
}

Result<std::vector<std::int64_t>> parseValues(const json& list, std::string_view where) {
  std::vector<std::int64_t> values;
  if (!list.is_array()) {
    return userError("{}: expected a list of integers", where);
  }
  for (const json& one : list) {
    if (!one.is_number_integer() ||
        (one.is_number_unsigned() && !std::in_range<std::int64_t>(one.get<std::uint64_t>()))) {
      return userError("{}: expected an integer, got {}", where, one.dump());
    }
    values.push_back(one.get<std::int64_t>());
  }
  return values;
}

/// Parses one value per knob; each must be a value of its knob.
Result<std::vector<std::int64_t>> parsePoint(const json& list, const std::vector<Knob>& knobs,
                                             std::string_view where) {
  auto values = HONE_TRY(parseValues(list, where));
  if (values.size() != knobs.size()) {
    return userError("{}: expected {} values, got {}", where, knobs.size(), values.size());
  }
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const std::vector<std::int64_t>& known = knobs[i].values;
    if (std::find(known.begin(), known.end(), values[i]) == known.end()) {
      return userError("{}: invalid value of knob '{}': {}", where, knobs[i].name, values[i]);
    }
  }
  return values;
}

Result<Knob> knobFrom(const json& written, const std::string& where) {
  model::JsonReader reader(written, where);
  Knob knob;
  json values;
  reader.required("name", knob.name);
  reader.required("values", values);
  reader.optional("ordered", knob.ordered);
  HONE_CHECK(reader.finish());
  if (hasControlCharacters(knob.name)) {
    return userError("{}: the name has a control character", where);
  }
  knob.values = HONE_TRY(parseValues(values, where));
  return knob;
}

Result<RecordedPoint> recordedPointFrom(const json& written, const std::vector<Knob>& knobs,
                                        const std::string& where) {
  model::JsonReader reader(written, where);
  RecordedPoint point;
  json values;
  double timeNs = 0;
  double guess = 0;
  reader.required("values", values);
  reader.optional("time_ns", timeNs);
  reader.optional("failure", point.failure);
  reader.optional("guess", guess);
  HONE_CHECK(reader.finish());
  if (written.contains("time_ns") == written.contains("failure")) {
    return userError("{}: expected either 'time_ns' or 'failure'", where);
  }
  if (written.contains("time_ns")) {
    if (timeNs <= 0) {
      return userError("{}: 'time_ns' must be above 0", where);
    }
    point.timeNs = timeNs;
  }
  if (written.contains("guess")) {
    point.guess = guess;
  }
  point.values = HONE_TRY(parsePoint(values, knobs, where));
  return point;
}

bool before(const RecordedPoint& a, const RecordedPoint& b) { return a.values < b.values; }

}  // namespace

void Recording::sort() { std::sort(points.begin(), points.end(), before); }

std::optional<double> Recording::best() const {
  std::optional<double> best;
  for (const RecordedPoint& point : points) {
    if (point.timeNs && (!best || *point.timeNs < *best)) {
      best = point.timeNs;
    }
  }
  return best;
}

std::string toText(const Recording& recording) {
  const json name = recording.name;
  const json first = recording.first;
  return fmt::format("{{\n\"name\": {},\n\"knobs\": [{}],\n\"first\": {},\n\"points\": [{}]\n}}\n",
                     name.dump(-1, ' ', false, json::error_handler_t::replace),
                     lines(recording.knobs), first.empty() ? "[]" : first.dump(),
                     lines(recording.points));
}

Result<Recording> recordingFrom(std::string_view text) {
  const json written = HONE_TRY(jsonFrom(text, "recording"));
  model::JsonReader reader(written, "recording");
  Recording recording;
  json knobs = json::array();
  json points = json::array();
  json first = json::array();
  reader.required("name", recording.name);
  reader.required("knobs", knobs);
  reader.required("points", points);
  reader.optional("first", first);
  HONE_CHECK(reader.finish());
  if (hasControlCharacters(recording.name)) {
    return userError("recording: the name has a control character");
  }
  if (!knobs.is_array() || !points.is_array() || !first.is_array()) {
    return userError("recording: expected lists for 'knobs', 'points' and 'first'");
  }
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    recording.knobs.push_back(HONE_TRY(knobFrom(knobs[i], fmt::format("knobs[{}]", i))));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    recording.points.push_back(
        HONE_TRY(recordedPointFrom(points[i], recording.knobs, fmt::format("points[{}]", i))));
  }
  recording.sort();
  const auto twice = std::adjacent_find(
      recording.points.begin(), recording.points.end(),
      [](const RecordedPoint& a, const RecordedPoint& b) { return a.values == b.values; });
  if (twice != recording.points.end()) {
    return userError("points: duplicate point {}", json(twice->values).dump());
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string where = fmt::format("first[{}]", i);
    RecordedPoint point{HONE_TRY(parsePoint(first[i], recording.knobs, where))};
    if (!std::binary_search(recording.points.begin(), recording.points.end(), point, before)) {
      return userError("{}: no such point", where);
    }
    recording.first.push_back(std::move(point.values));
  }
  return recording;
}

Result<Recording> readRecording(const std::filesystem::path& file) {
  auto recording = recordingFrom(HONE_TRY(readFile(file)));
  if (!recording) {
    return within(file.string(), recording.error());
  }
  return recording;
}

}  // namespace hone::search
