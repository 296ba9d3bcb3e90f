#include "app/kernel/kernel_cluster.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/common/cluster_run.h"
#include "app/kernel/kernel_list.h"
#include "app/kernel/kernel_report.h"
#include "base/file.h"
#include "base/hash.h"
#include "cluster/records.h"
#include "kernel/turns/kernel_files.h"
#include "model/result/run_failure.h"
#include "model/result/summary/kernel_result.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json optionsJson(const OptimizeVerbOptions& options) {
  return {{"target_speedup", options.targetSpeedup},
          {"target_given", options.targetGiven},
          {"max_iterations", options.maxIterations},
          {"min_improvement", options.minImprovement},
          {"candidates", options.candidates},
          {"budget", options.budget},
          {"rounds", options.rounds},
          {"gpu", options.bench.gpu},
          {"device", options.bench.device},
          {"threads", options.bench.threads},
          {"seed", options.bench.seed},
          {"run_seconds", options.bench.runSeconds}};
}

OptimizeVerbOptions optionsFrom(const json& order) {
  const json& json = order.at("options");
  OptimizeVerbOptions options;
  options.kernel = order.at("file");
  options.reference = order.at("reference");
  options.targetSpeedup = json.at("target_speedup");
  options.targetGiven = json.at("target_given");
  options.maxIterations = json.at("max_iterations");
  options.minImprovement = json.at("min_improvement");
  options.candidates = json.at("candidates");
  options.budget = json.at("budget");
  options.rounds = json.at("rounds");
  options.noSave = true;
  options.bench.gpu = json.at("gpu");
  options.bench.device = json.at("device");
  options.bench.threads = json.at("threads");
  options.bench.seed = json.at("seed");
  options.bench.runSeconds = json.at("run_seconds");
  options.proposer.proposer = "search";
  return options;
}

json exampleJson(const kernel::Example& example) {
  return {{"name", example.name},         {"technique", example.technique},
          {"language", example.language}, {"title", example.title},
          {"text", example.text},         {"before", example.before},
          {"after", example.after},       {"speedup", example.speedup}};
}

kernel::Example exampleFrom(const json& json) {
  kernel::Example example;
  example.name = json.at("name");
  example.technique = json.at("technique");
  example.language = json.at("language");
  example.title = json.at("title");
  example.text = json.at("text");
  example.before = json.at("before");
  example.after = json.at("after");
  example.speedup = json.at("speedup");
  return example;
}

/// What would be written beside the kernel and into the logs, for the head to write.
Result<json> filesOf(const KernelCommand& command, const kernel::Optimized& optimized,
                     const fs::path& file, const std::string& name) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-kernel"));
  auto options = outputOptions(command.options, folder.path() / file.filename(),
                               command.options.reference, name, command.bench.machineName());
  options.logs = folder.path() / "logs";
  const auto written = HONE_TRY(kernel::writeOutputs(optimized, options));
  json files = json::object();
  for (const auto& [what, path] :
       {std::pair("kernel", written.kernel), std::pair("history", written.history),
        std::pair("conversation", written.conversation)}) {
    if (!path.empty()) {
      files[what] = {{"name", path.filename().string()}, {"text", HONE_TRY(readFile(path))}};
    }
  }
  return files;
}

Result<void> expectContent(const fs::path& file, const std::string& hash) {
  if (hashOf(HONE_TRY(readFile(file))) != hash) {
    return userError("{} is another file here than where the command was given", file.string());
  }
  return {};
}

/// One kernel of a command on its way.
struct Kernel {
  fs::path file;
  std::string name;  ///< within the folder; "" for the only one
  std::string key;
};

/// The head's side of a command.
class KernelHead {
 public:
  KernelHead(const Context& context, const OptimizeVerbOptions& options, Progress& progress)
      : context_(context), options_(options), progress_(progress) {}

  [[nodiscard]] Result<void> find() {
    if (!options_.allSlow) {
      kernels_.push_back(
          {fs::absolute(HONE_TRY(kernel::findKernel(options_.kernel, options_.bench.kernels))), "",
           ""});
      return {};
    }
    const fs::path folder = options_.bench.kernels;
    for (const fs::path& file : HONE_TRY(kernel::findKernels(folder))) {
      kernels_.push_back(
          {fs::absolute(file), file.lexically_relative(folder.lexically_normal()).string(), ""});
    }
    return {};
  }

  [[nodiscard]] Result<std::string> runKey() const {
    Hasher hasher;
    hasher.field("kernel optimize").field("slurm").field(optionsKey(options_));
    for (const Kernel& one : kernels_) {
      hasher.field(one.file.string()).field(HONE_TRY(readFile(one.file)));
      // One without a reference is left out later, with a word.
      const auto reference = kernel::findReference(one.file, options_.reference);
      hasher.field(reference ? HONE_TRY(readFile(*reference)) : "");
    }
    return hasher.hex();
  }

  [[nodiscard]] Result<void> handOut(ClusterRun& cluster) {
    for (Kernel& one : kernels_) {
      const auto reference = kernel::findReference(one.file, options_.reference);
      if (!reference) {
        HONE_CHECK(leaveOut(one, reference.error()));
        continue;
      }
      cluster::Unit unit;
      unit.kind = kKernelUnit;
      unit.order = {{"file", one.file.string()},
                    {"reference", fs::absolute(*reference).string()},
                    {"content", hashOf(HONE_TRY(readFile(one.file)))},
                    {"reference_content", hashOf(HONE_TRY(readFile(*reference)))},
                    {"name", one.name},
                    {"threshold", options_.threshold},
                    {"only_slow", options_.allSlow},
                    {"options", optionsJson(options_)}};
      unit.key = cluster::unitKey(unit.kind, unit.order);
      one.key = unit.key;
      HONE_CHECK(cluster.head().handOut(std::move(unit)));
    }
    return {};
  }

  [[nodiscard]] Result<void> gather(ClusterRun& cluster) {
    progress_.stage("kernels", static_cast<std::int64_t>(kernels_.size()));
    for (const Kernel& one : kernels_) {
      if (one.key.empty()) {
        continue;
      }
      const cluster::Answer answer = HONE_TRY(cluster.head().await(one.key));
      if (answer.error) {
        HONE_CHECK(cluster.keepFailed(one.file.filename().string(), answer));
        HONE_CHECK(leaveOut(one, *answer.error));
        continue;
      }
      HONE_CHECK(cluster.keep(answer));
      HONE_CHECK(take(one, answer.result));
      progress_.step(cluster.head().status().text());
    }
    progress_.finish();
    return {};
  }

  [[nodiscard]] json summary() {
    if (!options_.allSlow) {
      return done_.empty() ? json::object() : toJson(done_.begin()->second);
    }
    sortListed(listed_);
    model::KernelResult result = listResult(listed_);
    result.kernels = done_;
    return toJson(result);
  }
  [[nodiscard]] int print(const json& summary) const {
    if (context_.json) {
      std::puts(store::jsonText(options_.allSlow ? summary.at("kernels") : summary, 2).c_str());
    } else if (options_.allSlow) {
      fmt::print("{} of {} slow kernels improved\n", countImproved(done_), done_.size());
    }
    return 0;
  }

 private:
  /// A kernel that is at fault ends the command where it is the only one.
  [[nodiscard]] Result<void> leaveOut(const Kernel& one, const Error& error) {
    if (!options_.allSlow || error.fault != Fault::user) {
      return std::unexpected(error);
    }
    progress_.say(fmt::format("{} left out: {}", one.name, error.message));
    done_[one.name].error = error.message;
    return {};
  }

  [[nodiscard]] Result<void> take(const Kernel& one, const json& result) {
    if (result.contains("listed")) {
      listed_.push_back(HONE_TRY(model::listedKernelFrom(result.at("listed"))));
    }
    if (!result.contains("summary")) {
      return {};
    }
    kernel::OutputFiles files;
    if (!options_.noSave) {
      const json& written = result.at("files");
      files.kernel = HONE_TRY(write(written, "kernel", one.file.parent_path()));
      files.history = HONE_TRY(write(written, "history", options_.logs));
      files.conversation = HONE_TRY(write(written, "conversation", options_.logs));
      remember(result);
    }
    model::KernelOutcome outcome = HONE_TRY(model::kernelOutcomeFrom(result.at("summary")));
    outcome.file = files.kernel.string();
    outcome.history = files.history.string();
    done_[one.name] = std::move(outcome);
    if (!context_.json) {
      fmt::print("{}{}{}", options_.verbose ? result.at("tried").get<std::string>() : "",
                 result.at("text").get<std::string>(), filesReport(files));
    }
    return {};
  }

  [[nodiscard]] static Result<fs::path> write(const json& files, const char* what,
                                              const fs::path& folder) {
    if (!files.contains(what)) {
      return fs::path();
    }
    HONE_CHECK(makeFolder(folder));
    fs::path file = folder / files.at(what).at("name").get<std::string>();
    HONE_CHECK(writeFile(file, files.at(what).at("text").get<std::string>()));
    return file;
  }

  /// A library that cannot be written is no error.
  void remember(const json& result) {
    if (!result.contains("example")) {
      return;
    }
    auto examples = openExamples();
    const auto added = examples ? examples->add(exampleFrom(result.at("example")))
                                : Result<void>(std::unexpected(examples.error()));
    if (!added) {
      progress_.say(fmt::format("not remembered as an example: {}", added.error().message));
    }
  }

  const Context& context_;
  const OptimizeVerbOptions& options_;
  Progress& progress_;
  std::vector<Kernel> kernels_;
  std::vector<kernel::ListedKernel> listed_;
  std::map<std::string, model::KernelOutcome> done_;
};

}  // namespace

Result<int> optimizeOnCluster(const Context& context, const OptimizeVerbOptions& options,
                              const cluster::Options& cluster) {
  if (options.proposer.usesModel()) {
    return userError(
        "--executor slurm goes with --proposer search: the key of a language model does not leave "
        "this machine");
  }
  if (!options.budget.empty()) {
    HONE_CHECK(engine::budgetFrom(options.budget));
  }
  Progress progress(context.quiet || context.json);
  KernelHead head(context, options, progress);
  HONE_CHECK(head.find());
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeCommand(context, "kernel");
  described.device = options.bench.gpu.empty() ? options.bench.device : "cuda";
  described.seed = options.bench.seed;
  described.key = HONE_TRY(head.runKey());
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const auto opened =
      HONE_TRY(ClusterRun::open(cluster, context, json::object(), store, run, progress));
  auto gathered = head.handOut(*opened);
  if (gathered) {
    gathered = head.gather(*opened);
  }
  if (!gathered) {
    if (gathered.error().fault == Fault::user) {
      HONE_CHECK(store.finishRun(run, store::RunStatus::failed,
                                 toJson(model::RunFailure{gathered.error().message})));
      static_cast<void>(opened->close());
    }
    return std::unexpected(gathered.error());
  }
  const json summary = head.summary();
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  const auto ended = opened->close();
  const int code = head.print(summary);
  HONE_CHECK(ended);
  return code;
}

Result<json> performKernel(const cluster::Unit& unit, Progress& progress) {
  if (unit.onlyCompile) {
    return json::object();
  }
  const json& order = unit.order;
  const OptimizeVerbOptions options = optionsFrom(order);
  const fs::path file = options.kernel;
  HONE_CHECK(expectContent(file, order.at("content")));
  HONE_CHECK(expectContent(options.reference, order.at("reference_content")));
  Context context;
  context.quiet = true;
  const auto started = startKernelCommand(context, options, false);
  if (!started) {
    // The head has checked the command: what is missing is missing on this machine.
    return started.error().fault == Fault::user ? machineError("{}", started.error().message)
                                                : std::unexpected(started.error());
  }
  const auto& command = *started;
  cluster::ScratchStore scratch = HONE_TRY(cluster::ScratchStore::create());
  const std::string name = order.at("name");
  json result = json::object();
  bool wanted = true;
  if (order.at("only_slow").get<bool>()) {
    const auto listed = HONE_TRY(
        listKernelFile(scratch.store(), scratch.run(), command->bench, file, name, {}, progress));
    wanted = kernel::isSlow(listed, order.at("threshold"));
    result["listed"] = model::toJson(listed);
  }
  if (wanted) {
    const auto outcome =
        HONE_TRY(optimizeOne(*command, scratch.store(), scratch.run(), file, name, 0));
    result["summary"] = toJson(outcomeOf(outcome.optimized));
    result["text"] = optimizedReport(outcome.optimized);
    result["tried"] = triedReport(outcome.optimized);
    result["files"] = HONE_TRY(filesOf(*command, outcome.optimized, file, name));
    if (outcome.optimized.improved()) {
      result["example"] = exampleJson(kernel::exampleOf(outcome.optimized));
    }
  }
  result["records"] = cluster::toJson(HONE_TRY(scratch.records()));
  return result;
}

}  // namespace hone::app
