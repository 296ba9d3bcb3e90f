#include "iree/import/onnx_import.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/process/subprocess.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/import/onnx_expansion.h"

namespace hone::iree {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kScript = "hone_import_onnx.py";
constexpr const char* kModules = "hone_onnx";  ///< folder with the modules of the script
/// Weights from this size on are parameters: otherwise every compile parses and writes them.
constexpr std::uint64_t kExternalizeBytes = std::uint64_t{48} << 20U;
constexpr int kExitUserError = 2;
constexpr int kExitNoPackage = 3;

// Endings of the files of an imported model.
constexpr std::string_view kModule = "mlir";
constexpr std::string_view kModel = "onnx";
constexpr std::string_view kParameters = "irpa";
constexpr std::string_view kReply = "json";

bool fileExists(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// Returns a Python that can import IREE's packages: the venv's, or the one on PATH.
Result<fs::path> findInterpreter(const Installation& installation) {
  for (const char* up : {"../../../bin/python", "../../../bin/python3"}) {
    fs::path python = (installation.site / up).lexically_normal();
    if (fileExists(python)) {
      return python;
    }
  }
  const std::string python = findProgram("python3");
  if (python.empty()) {
    return machineError("no Python found to import .onnx files; install python3");
  }
  return fs::path(python);
}

Result<fs::path> findImportScript() {
  for (const char* folder : {"python", "share/hone/python"}) {
    if (fs::path script = installPrefix() / folder / kScript; fileExists(script)) {
      return script;
    }
  }
  return machineError("{} not found in {}; reinstall hone", kScript,
                      (installPrefix() / "share/hone/python").string());
}

/// Adds the script and its modules to a key: another version may import a model differently.
Result<void> hashScript(const fs::path& script, Hasher& hasher) {
  std::vector<fs::path> files = {script};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(script.parent_path() / kModules, error)) {
    if (entry.path().extension() == ".py") {
      files.push_back(entry.path());
    }
  }
  if (error) {
    return machineError("{}: modules of {} not found; reinstall hone",
                        (script.parent_path() / kModules).string(), kScript);
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    hasher.field(HONE_TRY(hashFile(file)));
  }
  return {};
}

json toJson(const ModelSource& source, const std::vector<std::string>& expanded) {
  json shapes = json::array();
  for (const InputShape& one : source.shapes) {
    shapes.push_back({one.name, one.shape ? json(*one.shape) : json(nullptr)});
  }
  return {{"model", fs::absolute(source.file).string()},
          {"dims", source.dims},
          {"shapes", std::move(shapes)},
          {"opset", source.opset},
          {"simplify", source.simplify},
          {"expand", expanded},
          {"externalize", kExternalizeBytes}};
}

ModelValue valueFrom(const json& row) {
  ModelValue value;
  value.name = row.at("name");
  value.element = row.at("element");
  value.shape = row.value("shape", std::vector<std::int64_t>());
  if (row.contains("limit")) {
    value.indexLimit = row.at("limit");
  }
  return value;
}

ExpandedModel modelFrom(const json& reply) {
  ExpandedModel expanded;
  ImportedModel& model = expanded.model;
  for (const json& row : reply.at("inputs")) {
    model.inputs.push_back(valueFrom(row));
  }
  for (const json& row : reply.at("outputs")) {
    model.outputs.push_back(valueFrom(row));
  }
  model.dims = reply.at("dims").get<DimensionSizes>();
  model.chosen = reply.at("chosen").get<DimensionSizes>();
  model.opset = reply.at("opset");
  for (const json& row : reply.at("nodes")) {
    model.nodes.push_back({row.at(0), row.at(1)});
  }
  expanded.definable = reply.at("definable").get<std::vector<std::string>>();
  expanded.domains = reply.at("domains").get<std::map<std::string, std::string>>();
  return expanded;
}

/// Returns true if the files with weights beside the model are those of the reply.
bool hasSameWeights(const json& reply) {
  for (const json& file : reply.at("weights")) {
    std::error_code error;
    const fs::path path = file.at("path").get<std::string>();
    const auto size = fs::file_size(path, error);
    const auto changed = fs::last_write_time(path, error);
    if (error || size != file.at("size").get<std::uintmax_t>() ||
        std::chrono::file_clock::to_sys(changed).time_since_epoch() / std::chrono::seconds(1) !=
            file.at("time").get<std::int64_t>()) {
      return false;
    }
  }
  return true;
}

/// One import with its place in the cache.
class OnnxImport {
 public:
  OnnxImport(Compiler& compiler, const ModelSource& source,
             const std::vector<std::string>& expanded)
      : artifacts_(compiler.jobs().artifacts()),
        compiler_(compiler),
        source_(source),
        request_(toJson(source, expanded)) {}

  Result<ExpandedModel> run() {
    script_ = HONE_TRY(findImportScript());
    Hasher hasher;
    hasher.field("onnx").field(compiler_.revision()).field(HONE_TRY(hashFile(source_.file)));
    HONE_CHECK(hashScript(script_, hasher));
    hasher.field(request_.dump());
    key_ = hasher.hex();
    if (auto known = findKnown()) {
      return *known;
    }
    HONE_CHECK(convert());
    auto model = findKnown();
    if (!model) {
      return machineError("{}: {} wrote no module", source_.file.string(), kScript);
    }
    return *model;
  }

 private:
  [[nodiscard]] std::optional<ExpandedModel> findKnown() const {
    const auto text = readFile(artifacts_.pathFor(key_, kReply));
    const json reply = text ? json::parse(*text, nullptr, false) : json();
    if (!reply.is_object() || !artifacts_.has(key_, kModule)) {
      return std::nullopt;
    }
    try {
      const bool fixed = reply.at("fixed");
      const bool external = reply.at("external");
      if (!hasSameWeights(reply) || (fixed && !artifacts_.has(key_, kModel)) ||
          (external && !artifacts_.has(key_, kParameters))) {
        return std::nullopt;
      }
      ExpandedModel expanded = modelFrom(reply);
      ImportedModel& model = expanded.model;
      model.module = artifacts_.pathFor(key_, kModule);
      model.model = fixed ? artifacts_.pathFor(key_, kModel) : fs::absolute(source_.file);
      model.parameters = external ? artifacts_.pathFor(key_, kParameters) : fs::path();
      return expanded;
    } catch (const json::exception&) {
      return std::nullopt;
    }
  }

  Result<void> convert() {
    const Installation installation = compiler_.installation();
    const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-import"));
    json request = request_;
    std::map<std::string_view, fs::path> files;
    for (const auto& [member, ending] : {std::pair{"mlir", kModule},
                                         {"fixed", kModel},
                                         {"parameters", kParameters},
                                         {"reply", kReply}}) {
      files[ending] = HONE_TRY(artifacts_.temporaryPath(key_, ending));
      request[member] = files[ending].string();
    }
    const fs::path order = scratch.path() / "request.json";
    HONE_CHECK(writeFile(order, request.dump()));
    Command command;
    command.argv = {HONE_TRY(findInterpreter(installation)).string(), "-B", script_.string(),
                    order.string()};
    command.environment = {{"PYTHONPATH", installation.site.string()}};
    command.limits = compiler_.jobs().limits();
    command.limits.memoryBytes = 0;  // several copies of the weights, mapped more than used
    const Activity importing(fmt::format("importing {}", source_.file.filename().string()));
    const Finished finished = HONE_TRY(runCommand(command));
    HONE_CHECK(checkEnding(finished));
    // The reply last: with it, the entry is complete.
    for (const std::string_view ending : {kModule, kModel, kParameters, kReply}) {
      if (fileExists(files[ending])) {
        HONE_CHECK(artifacts_.keep(files[ending], key_, ending));
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> checkEnding(const Finished& finished) const {
    if (finished.ending.ok()) {
      return {};
    }
    constexpr std::string_view kMark = "error: ";
    const std::string name = source_.file.filename().string();
    const std::string_view err = trim(finished.err);
    const std::string_view last = err.substr(err.rfind('\n') + 1);  // npos + 1 is 0
    const std::string_view line = last.starts_with(kMark) ? last.substr(kMark.size()) : last;
    if (finished.ending.how == Ending::How::exited && finished.ending.code == kExitUserError) {
      return userError("{}: {}", name, line);
    }
    if (finished.ending.how == Ending::How::exited && finished.ending.code == kExitNoPackage) {
      return machineError("cannot import {}: {}; run {}", name, line, installCommand("models"));
    }
    if (finished.ending.how == Ending::How::timedOut) {
      return userError("{}: the import was {}; use --compile-timeout to allow more time", name,
                       finished.ending.describe());
    }
    return machineError("cannot import {}: {}", name,
                        line.empty() ? finished.ending.describe() : std::string(line));
  }

  const ArtifactCache& artifacts_;
  Compiler& compiler_;
  const ModelSource& source_;
  json request_;
  fs::path script_;
  std::string key_;
};

}  // namespace

bool isOnnx(const fs::path& file) { return file.extension() == ".onnx"; }

Result<ImportedModel> importOnnx(Compiler& compiler, const ModelSource& source) {
  return HONE_TRY(importExpanded(compiler, source, {})).model;
}

Result<ExpandedModel> importExpanded(Compiler& compiler, const ModelSource& source,
                                     const std::vector<std::string>& operators) {
  return OnnxImport(compiler, source, operators).run();
}

Result<std::optional<ModelNode>> findNode(const ImportedModel& model, std::int64_t line) {
  constexpr std::string_view kOperator = "torch.operator \"onnx.";
  const std::string text = HONE_TRY(readFile(model.module));
  std::map<std::string, std::size_t, std::less<>> seen;  // nodes by operator
  std::size_t at = 0;
  std::string op;
  for (std::int64_t number = 1; number <= line && at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = std::string_view(text).substr(at, end - at);
    op.clear();
    if (const auto found = row.find(kOperator); found != std::string_view::npos) {
      const std::string_view name = row.substr(found + kOperator.size());
      op = name.substr(0, name.find('"'));
      ++seen[op];
    }
    at = end + 1;
  }
  std::size_t count = 0;
  for (const ModelNode& node : model.nodes) {
    // The importer writes one operation per node, and one per weight.
    if (node.op == op && ++count == seen[op]) {
      return node;
    }
  }
  return op.empty() ? std::nullopt : std::optional(ModelNode{op, ""});
}

std::string nameNode(const ImportedModel& model, const std::string& message) {
  static const RE2 kPlace(R"((.*) \(at ([^():]+):(\d+):\d+\)(.*))", RE2::Latin1);
  std::string before;
  std::string file;
  std::int64_t line = 0;
  std::string after;
  if (!RE2::FullMatch(message, kPlace, &before, &file, &line, &after) ||
      file != model.module.filename()) {
    return message;
  }
  const auto node = findNode(model, line);
  return node && *node ? fmt::format("{} (node '{}', operator {}){}", before, (*node)->name,
                                     (*node)->op, after)
                       : message;
}

}  // namespace hone::iree
