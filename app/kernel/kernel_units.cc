#include "app/kernel/kernel_units.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/kernel/kernel_list.h"
#include "app/kernel/kernel_report.h"
#include "base/file.h"
#include "base/hash.h"
#include "kernel/library/example_json.h"
#include "kernel/turns/output/kernel_files.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json benchJson(const KernelBenchOptions& options) {
  return {{"gpu", options.gpu},
          {"device", options.device},
          {"threads", options.threads},
          {"seed", options.seed},
          {"run_seconds", options.runSeconds}};
}

KernelBenchOptions benchFrom(const json& json) {
  KernelBenchOptions options;
  options.gpu = json.at("gpu");
  options.device = json.at("device");
  options.threads = json.at("threads");
  options.seed = json.at("seed");
  options.runSeconds = json.at("run_seconds");
  return options;
}

json optionsJson(const OptimizeCommandOptions& options) {
  return {{"target_speedup", options.targetSpeedup},
          {"target_given", options.targetGiven},
          {"max_iterations", options.maxIterations},
          {"min_improvement", options.minImprovement},
          {"candidates", options.candidates},
          {"repairs", options.repairs},
          {"budget", options.budget},
          {"rounds", options.rounds},
          {"bench", benchJson(options.bench)}};
}

OptimizeCommandOptions optionsFrom(const json& json) {
  OptimizeCommandOptions options;
  options.targetSpeedup = json.at("target_speedup");
  options.targetGiven = json.at("target_given");
  options.maxIterations = json.at("max_iterations");
  options.minImprovement = json.at("min_improvement");
  options.candidates = json.at("candidates");
  options.repairs = json.at("repairs");
  options.budget = json.at("budget");
  options.rounds = json.at("rounds");
  options.bench = benchFrom(json.at("bench"));
  options.proposer.proposer = "search";
  return options;
}

/// Serializes the files of a kernel with hashes, so that a worker can check that it sees the same.
Result<json> kernelJson(const UnitKernel& kernel, const fs::path& reference) {
  return json{{"file", fs::absolute(kernel.file).string()},
              {"name", kernel.name},
              {"content", hashBytes(HONE_TRY(readFile(kernel.file)))},
              {"reference", fs::absolute(reference).string()},
              {"reference_content", hashBytes(HONE_TRY(readFile(reference)))}};
}

Result<void> expectContent(const fs::path& file, const std::string& hash) {
  if (hashBytes(HONE_TRY(readFile(file))) != hash) {
    return userError("{} differs from the file on the machine that started the command",
                     file.string());
  }
  return {};
}

Result<UnitKernel> kernelFrom(const json& json) {
  UnitKernel kernel{json.at("file").get<std::string>(), json.at("name")};
  HONE_CHECK(expectContent(kernel.file, json.at("content")));
  HONE_CHECK(expectContent(json.at("reference").get<std::string>(), json.at("reference_content")));
  return kernel;
}

/// Turns user errors into machine errors: the command was checked where it was started.
Error asMachineError(Error error) {
  error.fault = error.fault == Fault::user ? Fault::machine : error.fault;
  return error;
}

/// Unit that a worker performs with its own tools.
class OrderedListUnit : public engine::Unit {
 public:
  explicit OrderedListUnit(json order) : order_(std::move(order)) {}
  [[nodiscard]] std::string_view kind() const override { return kListUnit; }
  [[nodiscard]] Result<json> order(engine::FileShare& /*files*/) const override { return order_; }
  [[nodiscard]] Result<json> perform(engine::UnitContext& unitContext) override {
    const KernelBenchOptions options = benchFrom(order_.at("bench"));
    UnitKernel kernel = HONE_TRY(kernelFrom(order_.at("kernel")));
    const auto bench = KernelBench::make(options);
    if (!bench) {
      return std::unexpected(asMachineError(bench.error()));
    }
    const ListTools tools{*bench, {}, 1};
    return ListUnit(std::move(kernel), options, &tools, 1).perform(unitContext);
  }

 private:
  json order_;
};

class OrderedOptimizeUnit : public engine::Unit {
 public:
  explicit OrderedOptimizeUnit(json order) : order_(std::move(order)) {}
  [[nodiscard]] std::string_view kind() const override { return kOptimizeUnit; }
  [[nodiscard]] Result<json> order(engine::FileShare& /*files*/) const override { return order_; }
  [[nodiscard]] Result<json> perform(engine::UnitContext& unitContext) override {
    OptimizeCommandOptions options = optionsFrom(order_.at("options"));
    const UnitKernel kernel = HONE_TRY(kernelFrom(order_.at("kernel")));
    options.kernel = kernel.file.string();
    options.reference = order_.at("kernel").at("reference");
    Context context;
    context.quiet = true;
    const auto command = startKernelCommand(context, options, unitContext.progress, false);
    if (!command) {
      return std::unexpected(asMachineError(command.error()));
    }
    return OptimizeUnit(kernel, options, command->get()).perform(unitContext);
  }

 private:
  json order_;
};

json namedTextToJson(const kernel::NamedText& one) {
  return {{"name", one.name}, {"text", one.text}};
}

kernel::NamedText namedTextFrom(const json& json) { return {json.at("name"), json.at("text")}; }

}  // namespace

Result<json> ListUnit::order(engine::FileShare& /*files*/) const {
  const fs::path reference = HONE_TRY(kernel::findReference(kernel_.file, ""));
  return json{{"kernel", HONE_TRY(kernelJson(kernel_, reference))}, {"bench", benchJson(options_)}};
}

Result<json> ListUnit::perform(engine::UnitContext& unitContext) {
  unitContext.progress.say(fmt::format("{} of {}: {}", number_, tools_->total, kernel_.name));
  unitContext.progress.stage("judging", {.total = static_cast<std::int64_t>(tools_->total),
                                         .done = static_cast<std::int64_t>(number_) - 1});
  const ListContext listing{.store = unitContext.log.store(),
                            .run = unitContext.log.run(),
                            .bench = tools_->bench,
                            .known = tools_->known,
                            .progress = unitContext.progress};
  return model::toJson(HONE_TRY(listKernelFile(listing, kernel_.file, kernel_.name)));
}

Result<json> OptimizeUnit::order(engine::FileShare& /*files*/) const {
  const fs::path reference = HONE_TRY(kernel::findReference(kernel_.file, options_.reference));
  return json{{"kernel", HONE_TRY(kernelJson(kernel_, reference))},
              {"options", optionsJson(options_)}};
}

Result<json> OptimizeUnit::perform(engine::UnitContext& unitContext) {
  if (!kernel_.name.empty()) {
    unitContext.progress.say(kernel_.name);
  }
  const kernel::Optimized optimized = HONE_TRY(optimizeOne(
      *command_, unitContext.log.store(), unitContext.log.run(), kernel_.file, kernel_.name));
  const fs::path reference = HONE_TRY(kernel::findReference(kernel_.file, options_.reference));
  const kernel::Outputs outputs = kernel::planOutputs(
      optimized,
      outputOptions(kernel_.file, reference, kernel_.name, command_->bench.machineName()));
  json value = {{"outcome", model::toJson(toKernelOutcome(optimized))},
                {"text", optimizedReport(optimized)},
                {"tried", triedReport(optimized)},
                {"kernel", namedTextToJson(outputs.kernel)},
                {"history", namedTextToJson(outputs.history)},
                {"conversation", namedTextToJson(outputs.conversation)}};
  const auto example = optimized.improved() ? kernel::makeExample(optimized) : std::nullopt;
  if (example) {
    value["example"] = kernel::toJson(*example);
  }
  if (optimized.failure) {
    value["failure"] = {{"fault", optimized.failure->fault == Fault::user ? "user" : "machine"},
                        {"message", optimized.failure->message}};
  }
  return value;
}

Result<OptimizedKernel> optimizedKernelFrom(const json& value) {
  try {
    OptimizedKernel optimized;
    optimized.outcome = HONE_TRY(model::kernelOutcomeFrom(value.at("outcome")));
    optimized.text = value.at("text");
    optimized.tried = value.at("tried");
    optimized.outputs = {.kernel = namedTextFrom(value.at("kernel")),
                         .history = namedTextFrom(value.at("history")),
                         .conversation = namedTextFrom(value.at("conversation"))};
    if (value.contains("example")) {
      optimized.example = kernel::exampleFrom(value.at("example"));
    }
    if (value.contains("failure")) {
      const json& failure = value.at("failure");
      const bool byUser = failure.at("fault") == "user";
      optimized.failure = Error{byUser ? Fault::user : Fault::machine, failure.at("message"), true};
    }
    return optimized;
  } catch (const json::exception& exception) {
    return machineError("invalid result of a kernel unit: {}", exception.what());
  }
}

Result<std::unique_ptr<engine::Unit>> kernelUnitFrom(std::string_view kind, const json& order) {
  if (kind == kListUnit) {
    return std::make_unique<OrderedListUnit>(order);
  }
  if (kind == kOptimizeUnit) {
    return std::make_unique<OrderedOptimizeUnit>(order);
  }
  return nullptr;
}

}  // namespace hone::app
