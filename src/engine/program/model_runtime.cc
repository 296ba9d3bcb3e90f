#include "engine/program/model_runtime.h"

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "verify/onnxruntime/onnx_runtime_api.h"

namespace hone::engine {
namespace {

using nlohmann::json;

/// Parses the answer of `hone run-model`.
Result<json> parseAnswer(const std::string& text) {
  json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) {
    return machineError("unexpected output of hone run-model: '{}'", shortened(text, 80));
  }
  return answer;
}

}  // namespace

std::optional<ModelRuntime> ModelRuntime::find(const iree::ModuleRunner& runner) {
  auto library = verify::findOnnxRuntime(runner.installation().site);
  if (library.empty()) {
    return std::nullopt;
  }
  const bool oneThread = runner.device().rankBy == iree::RankBy::cpu;
  return ModelRuntime(std::move(library), runner.limits(),
                      oneThread ? 1 : static_cast<int>(cpuCount()));
}

Result<std::string> ModelRuntime::call(Purpose purpose, const Program& program,
                                       const Inputs& inputs,
                                       std::vector<std::string> arguments) const {
  Command command;
  command.runsFirst = purpose == Purpose::measure;
  command.limits = limits_;
  command.argv = {HONE_TRY(ownProgram()).string(),
                  "run-model",
                  "--library",
                  library_.string(),
                  "--threads",
                  std::to_string(threads_),
                  "--model",
                  program.model.string()};
  for (const std::string& input : inputs.arguments) {
    command.argv.push_back("--input=" + input);
  }
  std::ranges::move(arguments, std::back_inserter(command.argv));
  Finished finished = HONE_TRY(runCommand(command));
  if (finished.ending.ok()) {
    return std::move(finished.out);
  }
  constexpr std::string_view kName = "hone: ";
  const std::string_view err = trim(finished.err);
  std::string_view line = err.substr(0, err.find('\n'));
  line.remove_prefix(line.starts_with(kName) ? kName.size() : 0);
  if (finished.ending.how != Ending::How::exited || line.empty()) {
    return userError("ONNX Runtime ended with {}", finished.ending.describe());
  }
  return userError("{}", line);
}

Result<std::vector<verify::Tensor>> ModelRuntime::run(const Program& program, const Inputs& inputs,
                                                      const std::filesystem::path& folder) const {
  const Activity running("computing the reference with ONNX Runtime");
  const json answer = HONE_TRY(parseAnswer(
      HONE_TRY(call(Purpose::compute, program, inputs, {"--outputs", folder.string()}))));
  std::vector<verify::Tensor> outputs;
  for (const json& output : answer.value("outputs", json::array())) {
    const auto type = HONE_TRY(model::tensorTypeFrom(output.value("type", "")));
    outputs.push_back(HONE_TRY(verify::readTensor(output.value("file", ""), type)));
  }
  return outputs;
}

Result<verify::LibraryTimes> ModelRuntime::time(const Program& program, const Inputs& inputs,
                                                std::int64_t iterations,
                                                std::int64_t repetitions) const {
  const Activity measuring("measuring ONNX Runtime");
  const json answer =
      HONE_TRY(parseAnswer(HONE_TRY(call(Purpose::measure, program, inputs,
                                         {"--iterations", std::to_string(iterations),
                                          "--repetitions", std::to_string(repetitions)}))));
  verify::LibraryTimes times;
  times.wallNs = answer.value("wall_ns", std::vector<double>());
  times.cpuNs = answer.value("cpu_ns", std::vector<double>());
  times.implementation = answer.value("library", "");
  if (times.wallNs.size() != static_cast<std::size_t>(repetitions) ||
      times.cpuNs.size() != times.wallNs.size()) {
    return machineError("unexpected output of hone run-model: {} times", times.wallNs.size());
  }
  return times;
}

}  // namespace hone::engine
