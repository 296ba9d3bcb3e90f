#include "tune/folder/tuned_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"

namespace hone::tune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;

json toJson(const TunedFolder& tuned) {
  json whole = {{"format", kFormat},
                {"hone", tuned.hone},
                {"compiler", tuned.compiler},
                {"target", tuned.target},
                {"device", tuned.device},
                {"host", tuned.host},
                {"cpu", tuned.cpu},
                {"created_at", tuned.createdAt},
                {"source", tuned.source},
                {"program", tuned.program},
                {"program_sha256", tuned.hash},
                {"function", tuned.function},
                {"inputs", tuned.inputs},
                {"sizes", tuned.sizes},
                {"parameters", tuned.parameters},
                {"seed", tuned.seed},
                {"flags", tuned.flags},
                {"tuned_flags", tuned.tunedFlags},
                {"spec", tuned.spec},
                {"module", kModuleFile},
                {"improved", tuned.improved},
                {"verified", tuned.verified},
                {"note", tuned.note}};
  json& ranges = whole["input_ranges"] = json::array();
  for (const auto& range : tuned.ranges) {
    ranges.push_back(range ? json{range->low, range->high} : json(nullptr));
  }
  const auto setTime = [&](const char* name, const std::optional<double>& value) {
    if (value) {
      whole[name] = *value;
    }
  };
  setTime("default_ns", tuned.defaultNs);
  setTime("tuned_ns", tuned.tunedNs);
  setTime("onnxruntime_ns", tuned.onnxRuntimeNs);
  if (tuned.speedup) {
    whole["speedup"] = {{"low", tuned.speedup->low},
                        {"estimate", tuned.speedup->estimate},
                        {"high", tuned.speedup->high}};
  }
  if (tuned.effort) {
    whole["effort"] = toJson(*tuned.effort);
  }
  return whole;
}

TunedFolder folderFrom(const json& whole) {
  TunedFolder tuned;
  tuned.hone = whole.at("hone");
  tuned.compiler = whole.at("compiler");
  tuned.target = whole.at("target");
  tuned.device = whole.at("device");
  tuned.host = whole.at("host");
  tuned.cpu = whole.at("cpu");
  tuned.createdAt = whole.at("created_at");
  tuned.source = whole.at("source");
  tuned.program = whole.at("program");
  tuned.hash = whole.at("program_sha256");
  tuned.function = whole.at("function");
  tuned.inputs = whole.at("inputs");
  for (const json& range : whole.at("input_ranges")) {
    tuned.ranges.push_back(range.is_null()
                               ? std::nullopt
                               : std::optional(verify::IntegerBounds{range.at(0), range.at(1)}));
  }
  tuned.sizes = whole.at("sizes").get<std::map<std::string, std::int64_t>>();
  tuned.parameters = whole.at("parameters");
  tuned.seed = whole.at("seed");
  tuned.flags = whole.at("flags");
  tuned.tunedFlags = whole.at("tuned_flags");
  tuned.spec = whole.at("spec");
  tuned.improved = whole.at("improved");
  tuned.verified = whole.at("verified");
  tuned.note = whole.at("note");
  const auto readTime = [&](const char* name) {
    return whole.contains(name) ? std::optional(whole.at(name).get<double>()) : std::nullopt;
  };
  tuned.defaultNs = readTime("default_ns");
  tuned.tunedNs = readTime("tuned_ns");
  tuned.onnxRuntimeNs = readTime("onnxruntime_ns");
  if (whole.contains("speedup")) {
    const json& speedup = whole.at("speedup");
    tuned.speedup = stats::Interval{speedup.at("low"), speedup.at("estimate"), speedup.at("high")};
  }
  if (whole.contains("effort")) {
    const json& effort = whole.at("effort");
    tuned.effort =
        Effort{effort.at("seconds"), effort.at("candidate_share"), effort.at("peak_memory_bytes")};
  }
  return tuned;
}

}  // namespace

json toJson(const Effort& effort) {
  return {{"seconds", effort.seconds},
          {"candidate_share", effort.candidateShare},
          {"peak_memory_bytes", effort.peakBytes}};
}

std::vector<std::string> TunedFolder::allTunedFlags(const fs::path& folder) const {
  std::vector<std::string> all;
  for (const std::string& flag : tunedFlags) {
    const auto equals = flag.find('=');
    std::error_code ignored;
    const fs::path file = equals == std::string::npos ? "" : folder / flag.substr(equals + 1);
    const bool named = equals != std::string::npos && fs::is_regular_file(file, ignored);
    all.push_back(named ? flag.substr(0, equals + 1) + fs::absolute(file).string() : flag);
  }
  return all;
}

Result<TunedFolder> readTunedFolder(const fs::path& folder) {
  const fs::path file = folder / kResultFile;
  auto text = readFile(file);
  if (!text) {
    return userError("{} is not a folder of hone tune: {}", folder.string(), text.error().message);
  }
  const json whole = json::parse(*text, nullptr, false);
  try {
    if (whole.at("format") != kFormat) {
      return userError("{} was written by another version of hone", file.string());
    }
    return folderFrom(whole);
  } catch (const json::exception& exception) {
    return userError("{} is not valid: {}", file.string(), exception.what());
  }
}

Result<void> writeResultFile(const TunedFolder& tuned, const fs::path& folder) {
  return writeFile(folder / kResultFile, toJson(tuned).dump(2) + "\n");
}

std::string responseFile(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) {
    const bool quoted = flag.find_first_of(" \t'\"\\") != std::string::npos;
    if (!quoted) {
      text += flag + "\n";
      continue;
    }
    std::string escaped;
    for (const char c : flag) {
      escaped += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
    }
    text += fmt::format("\"{}\"\n", escaped);
  }
  return text;
}

std::string relativeFlag(const std::string& flag, const fs::path& folder) {
  const auto equals = flag.find('=');
  if (equals == std::string::npos) {
    return flag;
  }
  const fs::path file = flag.substr(equals + 1);
  const fs::path relative = file.lexically_relative(fs::absolute(folder));
  const bool inside = file.is_absolute() && !relative.empty() && *relative.begin() != "..";
  return inside ? flag.substr(0, equals + 1) + relative.string() : flag;
}

Result<void> checkTunedFolder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    return checkParentFolder(folder);
  }
  if (!fs::is_directory(folder, ignored)) {
    return userError("{} is a file; -o expects a folder, or a spec that ends with .mlir",
                     folder.string());
  }
  if (!fs::is_empty(folder, ignored) && !fs::exists(folder / kResultFile, ignored)) {
    return userError("{} is a folder with other files; -o expects a new one", folder.string());
  }
  return {};
}

}  // namespace hone::tune
