#include "app/kernel/kernel_list.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/common/toolchain.h"
#include "app/kernel/kernel_model.h"
#include "app/kernel/kernel_units.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/executor/local_executor.h"
#include "engine/executor/run_units.h"
#include "engine/executor/unit_result.h"
#include "kernel/turns/output/kernel_files.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using kernel::ListedKernel;
namespace fs = std::filesystem;

struct ListOptions {
  std::string folder;
  std::optional<double> threshold;
  KernelBenchOptions bench;
};

/// Returns a key that is equal for kernels whose measurements can be reused.
std::string contentKey(const kernel::Source& source, const kernel::Task& task,
                       const KernelBench& bench) {
  Hasher hasher;
  hasher.field(HONE_VERSION).field(hostName()).field(bench.machineName());
  hasher.field(bench.judge.device).field(source.key());
  for (const fs::path& file : {task.reference, task.pytorch}) {
    hasher.field(file.empty() ? "" : readFile(file).value_or(""));
  }
  // PyTorch adds a measurement.
  hasher.field(task.pytorch.empty() ? "" : bench.judge.python.string());
  return hasher.hex();
}

/// Returns the results of earlier lists by content. Failures are left out, so that they are
/// retried: the cause may have been a timeout or lack of memory.
Result<std::map<std::string, ListedKernel>> loadEarlierResults(const store::Store& store) {
  std::map<std::string, ListedKernel> known;
  for (const store::RunLine& line : HONE_TRY(store.listRuns(0))) {
    if (line.command != "kernel" || line.status != store::RunStatus::finished) {
      continue;
    }
    const auto run = HONE_TRY(store.run(line.id));
    const auto result = model::kernelResultFrom(nlohmann::json::parse(run->summary));
    if (!result || !result->listed) {  // written by another version
      continue;
    }
    for (const ListedKernel& listed : *result->listed) {
      if (listed.problem.empty()) {
        known.try_emplace(listed.content, listed);
      }
    }
  }
  return known;
}

/// Measures one kernel or looks it up.
Result<ListedKernel> listOne(const ListContext& context, const fs::path& file,
                             const std::string& name) {
  const KernelBench& bench = context.bench;
  const auto source = HONE_TRY(kernel::readKernel(file));
  const auto reference = HONE_TRY(kernel::findReference(file, ""));
  auto task = HONE_TRY(kernel::readTask(reference, bench.judge));
  const std::string content = contentKey(source, task, bench);
  if (const auto before = context.known.find(content); before != context.known.end()) {
    return before->second;
  }
  auto judge = HONE_TRY(kernel::Judge::open(std::move(task), bench.judge));
  kernel::RealKernelJudge kernelJudge(judge);
  kernel::KernelTrials trials(kernelJudge,
                              {context.store, context.run, name, bench.rankBy, bench.judge.seed});
  ListedKernel listed =
      HONE_TRY(kernel::listKernel(trials, source, bench.machine, context.progress));
  listed.content = content;
  return listed;
}

/// Orders the slowest first, kernels without PyTorch by roofline share, failures last.
bool before(const ListedKernel& a, const ListedKernel& b) {
  const auto rank = [](const ListedKernel& one) {
    return std::make_tuple(!one.problem.empty(), !one.speedup.has_value(),
                           one.speedup.value_or(one.rooflineShare.value_or(0)));
  };
  return rank(a) < rank(b);
}

/// Returns the comparison that decided: "below 0.80x PyTorch; 2 without PyTorch: below 30 % of the
/// roofline".
std::string describeThreshold(const std::vector<ListedKernel>& listed,
                              const kernel::SlowThreshold& threshold) {
  const auto count = [&](std::string_view other) {
    return std::ranges::count_if(listed, [&](const ListedKernel& one) {
      return one.problem.empty() && kernel::comparedWith(one) == other;
    });
  };
  const std::string roofline = fmt::format("below {:.0f} % of the roofline", 100 * threshold.share);
  const std::string pytorch = fmt::format("below {:.2f}x PyTorch", threshold.speedup);
  const auto without = count("roofline");
  return without == 0 ? pytorch
         : count("PyTorch") == 0
             ? fmt::format("{}; PyTorch was not measured", roofline)
             : fmt::format("{}; {} without PyTorch: {}", pytorch, without, roofline);
}

void print(const std::vector<ListedKernel>& listed, const kernel::SlowThreshold& threshold) {
  // Scripts search for the mark and the kernel's column, so only a terminal truncates names.
  const bool isTerminal = ::isatty(STDOUT_FILENO) != 0;
  report::Table table({{"", report::Align::left},
                       {"speedup", report::Align::right},
                       {"kernel", report::Align::left, 16},
                       {"category", report::Align::left, 8},
                       {"time", report::Align::right},
                       {"PyTorch", report::Align::right},
                       {"of roofline", report::Align::right}});
  std::size_t slow = 0;
  std::size_t problems = 0;
  for (const ListedKernel& one : listed) {
    problems += one.problem.empty() ? 0 : 1;
    if (kernel::isSlow(one, threshold)) {
      ++slow;
      table.add({"📉", one.speedup ? fmt::format("{:.3f}x", *one.speedup) : "-", one.kernel,
                 one.category, one.timeNs ? humanTime(*one.timeNs) : "-",
                 one.pytorchNs ? humanTime(*one.pytorchNs) : "-",
                 one.rooflineShare ? fmt::format("{:.1f} %", 100 * *one.rooflineShare) : "-"});
    }
  }
  if (slow > 0) {
    constexpr std::size_t kWideMark = 1;  // it is two columns wide
    fmt::print("{}\n", table.text(isTerminal ? report::outputWidth() - kWideMark : 0));
  }
  fmt::print("{} of {} kernels are slow: {}\n", slow, listed.size(),
             describeThreshold(listed, threshold));
  if (problems > 0) {
    fmt::print("\nnot measured:\n");
    for (const ListedKernel& one : listed) {
      if (!one.problem.empty()) {
        fmt::print("  {}: {}\n", one.kernel, one.problem);
      }
    }
  }
}

Result<int> listSlow(const Context& context, const ListOptions& options) {
  const fs::path folder = options.folder.empty() ? options.bench.kernels : options.folder;
  const std::string contents = HONE_TRY(kernel::hashKernels(folder));
  static_cast<void>(takeApiKey());  // hides it from the kernels
  const KernelBench bench = HONE_TRY(KernelBench::make(options.bench));
  Progress progress(context.quiet || context.json);
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeCommand(context, "kernel");
  described.device = bench.judge.device;
  described.seed = options.bench.seed;
  described.key = Hasher()
                      .field("kernel list-slow")
                      .field(fs::absolute(folder).string())
                      .field(contents)
                      .field(bench.machineName())
                      .field(fmt::format("{} {}", bench.judge.device, options.bench.seed))
                      .hex();
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  engine::LocalExecutor executor(store, run, progress);
  const auto listed =
      HONE_TRY(listKernels({executor, store, run, progress}, &bench, options.bench, folder));
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, toJson(listResult(listed))));
  const auto threshold = kernel::SlowThreshold::from(options.threshold);
  if (!context.json && listed.empty()) {
    fmt::print("no kernels in {}; hone lists C++ files with `// hone:` lines and Python kernels\n",
               folder.string());
  } else if (!context.json) {
    print(listed, threshold);
    const auto slowest = std::ranges::find_if(
        listed, [&](const ListedKernel& one) { return kernel::isSlow(one, threshold); });
    if (slowest != listed.end()) {
      fmt::print("next: hone kernel optimize --kernel {}\n", (folder / slowest->kernel).string());
    }
    return 0;
  }
  nlohmann::json json = nlohmann::json::array();
  for (const ListedKernel& one : listed) {
    nlohmann::json entry = toJson(one);
    entry["slow"] = kernel::isSlow(one, threshold);
    entry["compared_with"] = kernel::comparedWith(one);
    json.push_back(std::move(entry));
  }
  fmt::print("{}\n", jsonText(json, 2));
  return 0;
}

}  // namespace

Result<std::vector<ListedKernel>> listKernels(const engine::UnitRun& run, const KernelBench* bench,
                                              const KernelBenchOptions& options,
                                              const fs::path& folder) {
  const auto files = HONE_TRY(kernel::findKernels(folder));
  std::optional<ListTools> tools;
  if (bench != nullptr) {
    tools.emplace(ListTools{*bench, HONE_TRY(loadEarlierResults(run.store)), files.size()});
  }
  std::vector<ListedKernel> all(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    all[i].kernel = files[i].lexically_relative(folder.lexically_normal()).string();
  }
  run.progress.stage("judging", static_cast<std::int64_t>(files.size()));
  engine::UnitBatch batch;
  batch.count = files.size();
  batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
    return std::make_unique<ListUnit>(UnitKernel{files[i], all[i].kernel}, options,
                                      tools ? &*tools : nullptr, i + 1);
  };
  batch.label = [&](std::size_t i) { return all[i].kernel; };
  batch.take = [&](std::size_t i, const engine::UnitResult& result) -> Result<void> {
    if (result.error) {
      all[i].problem = result.error->message;
    } else {
      all[i] = HONE_TRY(model::listedKernelFrom(result.value));
    }
    return {};
  };
  HONE_CHECK(engine::runUnits(run, batch));
  std::ranges::stable_sort(all, before);
  return all;
}

Result<ListedKernel> listKernelFile(const ListContext& context, const fs::path& file,
                                    const std::string& name) {
  auto listed = listOne(context, file, name);
  if (!listed && listed.error().fault != Fault::user) {
    return listed;
  }
  ListedKernel value;
  if (listed) {
    value = *std::move(listed);
  } else {
    value.problem = listed.error().message;
  }
  value.kernel = name;
  return value;
}

model::KernelResult listResult(const std::vector<ListedKernel>& listed) {
  model::KernelResult result;
  result.listed.emplace();
  std::ranges::copy_if(listed, std::back_inserter(*result.listed),
                       [](const ListedKernel& one) { return !one.content.empty(); });
  return result;
}

std::int64_t countImproved(const std::map<std::string, model::KernelOutcome>& outcomes) {
  return std::ranges::count_if(outcomes,
                               [](const auto& one) { return one.second.improved.value_or(false); });
}

void addKernelListCommand(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      kernel.add_subcommand("list-slow", "Measure all kernels in a folder and list the slow ones");
  command->add_option("DIR", options->folder, "Folder of kernels (default: --kernels)")
      ->type_name("DIR");
  command
      ->add_option("--threshold", options->threshold,
                   "Speedup over PyTorch below which a kernel is slow (default: 0.8); without "
                   "PyTorch, share of the roofline (default: 0.3)")
      ->check(CLI::PositiveNumber);
  options->bench.addTo(*command);
  command->footer(
      "Examples:\n"
      "  hone kernel list-slow examples/kernels\n"
      "  hone kernel list-slow --threshold 0.6 --kernels level1\n"
      "  hone kernel list-slow DIR | grep 📉 | awk '{print $3}'      names only\n"
      "Each kernel needs a NAME.reference.cc or NAME.reference.py in the same folder. Results of "
      "unchanged kernels are reused from the store.");
  command->callback([&context, options] {
    context.action = [&context, options] { return listSlow(context, *options); };
  });
}

}  // namespace hone::app
