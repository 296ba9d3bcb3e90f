#include "profile/generated.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/json.h"
#include "iree/mlir/problem_mlir.h"
#include "model/result/json_reader.h"

namespace hone::profile {
namespace {

constexpr std::string_view kSplitReduction = "--iree-dispatch-creation-enable-split-reduction";

std::string rootAttributes(const Operation& operation, const TuningConfig& config) {
  if (config.splitKSlices > 0) {
    const auto& matmul = std::get<model::Matmul>(operation.problem);
    return fmt::format("iree_linalg_ext.split_reduction = [{} : index]",
                       matmul.k / config.splitKSlices);
  }
  return config.compilationInfo.empty() ? "" : fmt::format("compilation_info = #{}", config.name);
}

nlohmann::json toJson(const TuningConfig& config) {
  return {{"name", config.name},
          {"tile", config.tile},
          {"core_class", config.coreClass},
          {"instruction_class", config.instructionClass},
          {"compilation_info", config.compilationInfo},
          {"split_k_slices", config.splitKSlices}};
}

Result<TuningConfig> configFrom(const nlohmann::json& json) {
  model::JsonReader reader(json, "configuration");
  TuningConfig config;
  reader.required("name", config.name);
  reader.required("tile", config.tile);
  reader.required("core_class", config.coreClass);
  reader.required("instruction_class", config.instructionClass);
  reader.required("compilation_info", config.compilationInfo);
  reader.optional("split_k_slices", config.splitKSlices);
  HONE_CHECK(reader.finish());
  return config;
}

std::string printDescription(const Generated& generated) {
  nlohmann::json json = {{"operation", toJson(generated.operation)},
                         {"target", generated.target},
                         {"configurations", nlohmann::json::array()}};
  for (const TuningConfig& config : generated.configs) {
    json["configurations"].push_back(toJson(config));
  }
  return json.dump(2) + "\n";
}

Result<Generated> readOne(const std::filesystem::path& file) {
  const auto json = HONE_TRY(jsonFrom(HONE_TRY(readFile(file)), file.string()));
  model::JsonReader reader(json, "operation file");
  nlohmann::json operation;
  nlohmann::json configs = nlohmann::json::array();
  Generated generated;
  reader.required("operation", operation);
  reader.required("target", generated.target);
  reader.required("configurations", configs);
  HONE_CHECK(reader.finish());
  generated.operation = HONE_TRY(operationFrom(operation));
  for (const nlohmann::json& config : configs) {
    generated.configs.push_back(HONE_TRY(configFrom(config)));
  }
  generated.folder = file.parent_path();
  return generated;
}

/// Does not touch an unchanged file, so that it keeps its modification time.
Result<void> writeIfChanged(const std::filesystem::path& file, const std::string& text) {
  if (std::filesystem::exists(file)) {
    if (const auto before = readFile(file); before && *before == text) {
      return {};
    }
  }
  return writeFile(file, text);
}

}  // namespace

std::filesystem::path Generated::file(std::string_view ending) const {
  return folder / fmt::format("{}{}", operation.name(), ending);
}

std::string Generated::dispatchName(const TuningConfig& config) const {
  return fmt::format("{}_{}", operation.name(), config.name);
}

std::vector<std::string> Generated::flags() const {
  return operation.splitKSlices.empty() ? std::vector<std::string>{}
                                        : std::vector{std::string(kSplitReduction)};
}

std::vector<TuningConfig> splitKConfigs(const Operation& operation) {
  const auto& matmul = std::get<model::Matmul>(operation.problem);
  std::vector<TuningConfig> configs;
  for (const std::int64_t slices : operation.splitKSlices) {
    if (matmul.k % slices == 0) {
      configs.push_back({.name = fmt::format("split_k_slice_{}", slices),
                         .tile = "Default",
                         .coreClass = "Default",
                         .instructionClass = "Default",
                         .compilationInfo = "",
                         .splitKSlices = slices});
    }
  }
  return configs;
}

std::string generateSource(const Generated& generated, const std::vector<TuningConfig>& configs) {
  std::string text = fmt::format("// {}, for {}\n", generated.operation.name(), generated.target);
  for (const TuningConfig& config : configs) {
    if (!config.compilationInfo.empty()) {
      text += fmt::format("#{} = {}\n", config.name, config.compilationInfo);
    }
  }
  for (const TuningConfig& config : configs) {
    text += fmt::format("\n{}",
                        iree::emitMlir(generated.operation.problem, generated.dispatchName(config),
                                       rootAttributes(generated.operation, config)));
  }
  return text;
}

std::filesystem::path folderFor(const std::filesystem::path& root, const Operation& operation) {
  return folderFor(root, operation.kind(), operation.name());
}

std::filesystem::path folderFor(const std::filesystem::path& root, const std::string& kind,
                                const std::string& name) {
  return root / "generated" / "linalg" / kind / name;
}

Result<void> writeGenerated(const Generated& generated) {
  std::error_code error;
  std::filesystem::create_directories(generated.folder, error);
  if (error) {
    return userError("cannot create {}: {}", generated.folder.string(), error.message());
  }
  HONE_CHECK(writeIfChanged(generated.file(".mlir"), generateSource(generated, generated.configs)));
  return writeIfChanged(generated.file(".json"), printDescription(generated));
}

Result<std::vector<Generated>> readGenerated(const std::filesystem::path& root) {
  const std::filesystem::path top = root / "generated" / "linalg";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::filesystem::recursive_directory_iterator entries(top, error);
  for (; !error && entries != std::filesystem::recursive_directory_iterator();
       entries.increment(error)) {
    const std::filesystem::path& path = entries->path();
    if (path.extension() == ".json" && path.stem() == path.parent_path().filename()) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Generated> all;
  for (const std::filesystem::path& file : files) {
    auto one = readOne(file);
    if (!one) {
      return userError(
          "{}: invalid operation file ({}); delete its folder and run hone generate again",
          file.string(), one.error().message);
    }
    all.push_back(std::move(*one));
  }
  if (all.empty()) {
    return userError("no operations found in {}; run hone generate or specify problems",
                     top.string());
  }
  return all;
}

}  // namespace hone::profile
