#include "profile/library_answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "model/result/json_reader.h"
#include "store/records.h"

namespace hone::profile {
namespace {

using nlohmann::json;

std::string line(const json& object) { return store::jsonText(object) + "\n"; }

/// The last line that says something; a library may have talked before it.
json lastLine(std::string_view out) {
  out = trim(out);
  const std::size_t end = out.find_last_of('\n');
  return json::parse(end == std::string_view::npos ? out : out.substr(end + 1), nullptr, false);
}

/// A message of JsonReader is for the user's files; here another program of hone's is at fault.
Result<void> finish(const model::JsonReader& reader) {
  if (auto read = reader.finish(); !read) {
    return machineError("{}", read.error().message);
  }
  return {};
}

bool areTimes(const std::vector<double>& times) {
  return !times.empty() && std::all_of(times.begin(), times.end(), [](double time) {
    return std::isfinite(time) && time >= 0;
  });
}

}  // namespace

std::string textOf(const LibraryAnswer& answer) {
  if (!answer.unsupported.empty()) {
    return line({{"unsupported", answer.unsupported}});
  }
  const verify::LibraryTimes& times = answer.times;
  return line({{"wall_ns", times.wallNs},
               {"cpu_ns", times.cpuNs},
               {"implementation", times.implementation},
               {"moves", times.moves},
               {"weights_prepacked", times.weightsPrepacked}});
}

std::string textOfBandwidth(double gbps) { return line({{"gbps", gbps}}); }

Result<LibraryAnswer> libraryAnswerFrom(std::string_view out) {
  const json answer = lastLine(out);
  model::JsonReader reader(answer, "the library's times");
  LibraryAnswer read;
  if (answer.is_object() && answer.contains("unsupported")) {
    reader.required("unsupported", read.unsupported);
    HONE_CHECK(finish(reader));
    if (read.unsupported.empty()) {
      return machineError("the library's times: no reason is given why there are none");
    }
    return read;
  }
  reader.required("wall_ns", read.times.wallNs);
  reader.required("cpu_ns", read.times.cpuNs);
  reader.required("implementation", read.times.implementation);
  reader.required("moves", read.times.moves);
  reader.required("weights_prepacked", read.times.weightsPrepacked);
  HONE_CHECK(finish(reader));
  if (!areTimes(read.times.wallNs) || !areTimes(read.times.cpuNs) ||
      read.times.wallNs.size() != read.times.cpuNs.size()) {
    return machineError("the library's times: not a time for every repetition");
  }
  return read;
}

Result<double> bandwidthFrom(std::string_view out) {
  const json answer = lastLine(out);
  model::JsonReader reader(answer, "the memory's bandwidth");
  double gbps = 0;
  reader.required("gbps", gbps);
  HONE_CHECK(finish(reader));
  if (!std::isfinite(gbps) || gbps <= 0) {
    return machineError("the memory's bandwidth: {} GB/s is none", gbps);
  }
  return gbps;
}

}  // namespace hone::profile
