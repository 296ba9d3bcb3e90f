#include "app/model/run_model.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "verify/inputs.h"
#include "verify/onnxruntime/onnx_runtime.h"

namespace hone::app {
namespace {

struct RunModelOptions {
  std::string library;
  std::string model;
  std::vector<std::string> inputs;  ///< "4x4xf32=@file.bin" or "4x4xf32=1"
  std::string outputs;              ///< folder for the outputs; "": measure instead
  int threads = 1;
  std::int64_t iterations = 1;
  std::int64_t repetitions = 1;
};

Result<verify::Tensor> readInput(const std::string& text) {
  const auto equals = text.find('=');
  const auto type = HONE_TRY(model::tensorTypeFrom(text.substr(0, equals)));
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (value.starts_with('@')) {
    return verify::readTensor(value.substr(1), type);
  }
  const auto number = parseDouble(value);
  if (!number) {
    return userError("ONNX Runtime: cannot read input {}", text);
  }
  return verify::makeConstant(type, *number);
}

Result<nlohmann::json> writeOutputs(verify::OnnxRuntimeModel& model,
                                    const std::filesystem::path& folder) {
  nlohmann::json rows = nlohmann::json::array();
  for (const verify::Tensor& output : HONE_TRY(model.run())) {
    const auto file = folder / fmt::format("reference{}.bin", rows.size());
    HONE_CHECK(verify::writeTensor(file, output));
    rows.push_back({{"type", output.type.text()}, {"file", file.string()}});
  }
  return nlohmann::json{{"outputs", std::move(rows)}};
}

Result<int> runModel(const RunModelOptions& options) {
  std::vector<verify::Tensor> inputs;
  for (const std::string& input : options.inputs) {
    inputs.push_back(HONE_TRY(readInput(input)));
  }
  auto model =
      HONE_TRY(verify::OnnxRuntimeModel::load(options.library, options.model, options.threads));
  HONE_CHECK(model.setInputs(std::move(inputs)));
  nlohmann::json answer;
  if (options.outputs.empty()) {
    const auto times = HONE_TRY(model.time(options.iterations, options.repetitions));
    answer = {{"wall_ns", times.wallNs}, {"cpu_ns", times.cpuNs}};
  } else {
    answer = HONE_TRY(writeOutputs(model, options.outputs));
  }
  answer["library"] = model.libraryName();
  fmt::print("{}\n", answer.dump());
  return 0;
}

}  // namespace

void addRunModelCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunModelOptions>();
  CLI::App* command =
      app.add_subcommand("run-model", "Run a model with ONNX Runtime in this process");
  command->group("");  // not in --help
  command->add_option("--library", options->library)->required();
  command->add_option("--model", options->model)->required();
  command->add_option("--input", options->inputs)->allow_extra_args(false);
  command->add_option("--outputs", options->outputs);
  command->add_option("--threads", options->threads)->check(CLI::Range(1, 4096));
  command->add_option("--iterations", options->iterations)->check(CLI::PositiveNumber);
  command->add_option("--repetitions", options->repetitions)->check(CLI::PositiveNumber);
  command->callback(
      [options, &context] { context.action = [options] { return runModel(*options); }; });
}

}  // namespace hone::app
