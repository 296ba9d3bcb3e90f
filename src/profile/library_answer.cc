#include "profile/library_answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "base/text/text.h"
#include "model/result/json_reader.h"

namespace hone::profile {
namespace {

using nlohmann::json;

std::string line(const json& object) { return jsonText(object) + "\n"; }

/// Parses the last line that is not blank; a library may have printed others before it.
json lastLine(std::string_view out) {
  out = trim(out);
  const std::size_t end = out.find_last_of('\n');
  return json::parse(end == std::string_view::npos ? out : out.substr(end + 1), nullptr, false);
}

/// Converts the user error of JsonReader to a machine error: the input comes from a child of hone.
Result<void> finish(const model::JsonReader& reader) {
  if (auto read = reader.finish(); !read) {
    return machineError("{}", read.error().message);
  }
  return {};
}

bool areValidTimes(const std::vector<double>& times) {
  return !times.empty() && std::all_of(times.begin(), times.end(), [](double time) {
    return std::isfinite(time) && time >= 0;
  });
}

}  // namespace

std::string formatAnswer(const LibraryAnswer& answer) {
  if (!answer.unsupported.empty()) {
    return line({{"unsupported", answer.unsupported}});
  }
  const verify::LibraryTimes& times = answer.times;
  return line({{"wall_ns", times.wallNs},
               {"cpu_ns", times.cpuNs},
               {"implementation", times.implementation},
               {"moves", times.reorders},
               {"weights_prepacked", times.weightsPrepacked}});
}

std::string formatBandwidth(double gbps) { return line({{"gbps", gbps}}); }

Result<LibraryAnswer> libraryAnswerFrom(std::string_view out) {
  const json answer = lastLine(out);
  model::JsonReader reader(answer, "library times");
  LibraryAnswer read;
  if (answer.is_object() && answer.contains("unsupported")) {
    reader.required("unsupported", read.unsupported);
    HONE_CHECK(finish(reader));
    if (read.unsupported.empty()) {
      return machineError("library times: missing reason for an unsupported problem");
    }
    return read;
  }
  reader.required("wall_ns", read.times.wallNs);
  reader.required("cpu_ns", read.times.cpuNs);
  reader.required("implementation", read.times.implementation);
  reader.required("moves", read.times.reorders);
  reader.required("weights_prepacked", read.times.weightsPrepacked);
  HONE_CHECK(finish(reader));
  if (!areValidTimes(read.times.wallNs) || !areValidTimes(read.times.cpuNs) ||
      read.times.wallNs.size() != read.times.cpuNs.size()) {
    return machineError("library times: expected one time per repetition");
  }
  return read;
}

Result<double> bandwidthFrom(std::string_view out) {
  const json answer = lastLine(out);
  model::JsonReader reader(answer, "memory bandwidth");
  double gbps = 0;
  reader.required("gbps", gbps);
  HONE_CHECK(finish(reader));
  if (!std::isfinite(gbps) || gbps <= 0) {
    return machineError("memory bandwidth: invalid value {} GB/s", gbps);
  }
  return gbps;
}

}  // namespace hone::profile
