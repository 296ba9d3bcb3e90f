#include "app/worker/worker.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/open_executor.h"
#include "app/common/toolchain.h"
#include "app/kernel/kernel_units.h"
#include "base/file.h"
#include "base/machine.h"
#include "cluster/perform_unit.h"
#include "cluster/this_node.h"
#include "cluster/worker.h"
#include "engine/plan/dispatch_times_unit.h"
#include "engine/plan/ordered_plan_unit.h"
#include "profile/profile_unit.h"
#include "split/sweep/sweep_unit.h"
#include "split/sweep/validation/validation_unit.h"

namespace hone::app {
namespace {

using cluster::QueuedUnit;
using nlohmann::json;

/// Toolchain of a worker, and the tools of its units.
class WorkerTools {
 public:
  WorkerTools(Toolchain toolchain, ScratchFolder folder, std::filesystem::path self,
              const std::filesystem::path& cache)
      : toolchain_(std::move(toolchain)),
        folder_(std::move(folder)),
        runner_(toolchain_.runner()),
        library_(std::move(self), toolchain_.runLimits),
        rooflines_(cache, library_, profile::countThreads(*toolchain_.device), HONE_VERSION) {}

  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }

  /// Creates the unit that the head ordered. It must not outlive the tools.
  [[nodiscard]] Result<std::unique_ptr<engine::Unit>> unitFrom(const QueuedUnit& queued,
                                                               Progress& progress) {
    const json& order = queued.order;
    if (queued.kind == engine::kPlanUnit) {
      return std::make_unique<engine::OrderedPlanUnit>(order, toolchain_.compiler, runner_);
    }
    if (queued.kind == engine::kDispatchTimesUnit) {
      return engine::DispatchTimesUnit::fromOrder(order, toolchain_.compiler, runner_);
    }
    if (queued.kind == split::kSweepUnit) {
      split::SweepSettings settings = split::sweepSettingsFrom(order.at("settings"));
      sweep_.emplace(split::attributeChoices(toolchain_.compiler, settings.limits), runner_,
                     folder_.path());
      return std::make_unique<split::SweepUnit>(
          *sweep_, std::move(settings), HONE_TRY(split::sweepProblemFrom(order.at("problem"))));
    }
    if (queued.kind == split::kValidationUnit) {
      validation_.emplace(toolchain_.compiler, runner_, folder_.path(),
                          order.at("flags").get<std::vector<std::string>>(),
                          order.at("seed").get<std::uint64_t>());
      return split::ValidationUnit::fromOrder(*validation_, order);
    }
    if (queued.kind == profile::kProfileUnit) {
      profile_.emplace(toolchain_.compiler, toolchain_.target.flags, runner_, library_, rooflines_,
                       progress);
      return profile::ProfileUnit::fromOrder(*profile_, order);
    }
    return machineError("unknown kind of unit '{}'", queued.kind);
  }

 private:
  Toolchain toolchain_;
  ScratchFolder folder_;
  iree::ModuleRunner runner_;
  profile::LibraryProvider library_;
  profile::Rooflines rooflines_;
  std::optional<split::SweepTools> sweep_;
  std::optional<split::ValidationTools> validation_;
  std::optional<profile::ProfileTools> profile_;
};

/// Performs the units of a head with the toolchain that its setup describes.
class WorkerPerformer : public cluster::UnitPerformer {
 public:
  WorkerPerformer(cluster::WorkerSetup setup, bool onlyCompile)
      : setup_(std::move(setup)), onlyCompile_(onlyCompile), progress_(true) {}

  /// Starts the toolchain.
  [[nodiscard]] Result<void> start() {
    node_ = cluster::cpuNode();
    if (!setup_.toolchain) {
      return {};
    }
    Context context;
    context.ireeFolder = setup_.toolchain->iree.string();
    ToolchainOptions options = workerToolchain(setup_);
    options.runsElsewhere = onlyCompile_;  // needs no device
    Toolchain toolchain = HONE_TRY(Toolchain::start(context, options));
    if (setup_.cpu && *setup_.cpu != node_.cpu) {
      return machineError(
          "{} has a {}, but the dispatches were extracted for a {}; run the command on a machine "
          "with the CPU of the nodes",
          node_.name, node_.cpu, *setup_.cpu);
    }
    if (!toolchain.device) {
      return machineError("{}: no {} device found", node_.name, toolchain.target.name);
    }
    if (!onlyCompile_) {
      node_ = cluster::nodeFor(*toolchain.device, toolchain.installation);
    }
    auto folder = HONE_TRY(ScratchFolder::create("hone-worker"));
    tools_ = std::make_unique<WorkerTools>(std::move(toolchain), std::move(folder),
                                           HONE_TRY(ownProgram()), HONE_TRY(cacheFolder()));
    return {};
  }

  [[nodiscard]] Result<json> perform(const QueuedUnit& queued) override {
    try {
      const auto unit = HONE_TRY(unitFrom(queued));
      if (queued.onlyCompile) {
        engine::Unit* raw = unit.get();
        HONE_CHECK(raw->prepare(std::span(&raw, 1)));
        return json::object();
      }
      return cluster::performUnit(*unit, progress_);
    } catch (const json::exception& exception) {
      return machineError("invalid unit of kind {}: {}", queued.kind, exception.what());
    }
  }
  [[nodiscard]] store::Node node() const override { return node_; }
  [[nodiscard]] bool compilesForHost() const override {
    return !tools_ || tools_->toolchain().target.name == "local";
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<engine::Unit>> unitFrom(const QueuedUnit& queued) {
    if (auto unit = HONE_TRY(kernelUnitFrom(queued.kind, queued.order))) {
      return unit;
    }
    if (!tools_) {
      return machineError("unit of kind {} needs a toolchain", queued.kind);
    }
    return tools_->unitFrom(queued, progress_);
  }

  cluster::WorkerSetup setup_;
  bool onlyCompile_;
  Progress progress_;
  store::Node node_;
  std::unique_ptr<WorkerTools> tools_;
};

Result<std::unique_ptr<cluster::UnitPerformer>> makePerformer(const cluster::WorkerSetup& setup,
                                                              bool onlyCompile) {
  if (setup.version != HONE_VERSION) {
    return machineError("version mismatch: the head is hone {}, this worker is hone {}",
                        setup.version.empty() ? "(unknown)" : setup.version, HONE_VERSION);
  }
  auto performer = std::make_unique<WorkerPerformer>(setup, onlyCompile);
  HONE_CHECK(performer->start());
  return performer;
}

}  // namespace

void addWorkerCommand(CLI::App& app, Context& context) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<cluster::WorkerOptions>();
  CLI::App* command =
      app.add_subcommand("worker", "Perform work of a cluster run (started by Slurm jobs)");
  command->add_option("FOLDER", *folder, "Folder of the run on the shared file system")
      ->type_name("DIR")
      ->required();
  command->add_flag("--only-compile", options->onlyCompile, "Compile only, do not measure");
  command->footer(
      "Examples:\n"
      "  hone worker ~/.cache/hone/cluster/runs/0123456789abcdef\n"
      "  srun --exclusive hone worker /scratch/me/hone/runs/0123456789abcdef\n"
      "The command that was started with --executor slurm submits the jobs that run workers. A "
      "worker exits when no work is left, when that command has ended, or on SIGTERM.");
  command->callback([&context, folder, options] {
    context.action = [folder, options]() -> Result<int> {
      options->name = cluster::workerName();
      options->node = cluster::nodeName();
      auto spool = HONE_TRY(cluster::Spool::open(*folder));
      HONE_CHECK(cluster::serve(std::move(spool), *options, [&](const cluster::WorkerSetup& setup) {
        return makePerformer(setup, options->onlyCompile);
      }));
      return 0;
    };
  });
}

}  // namespace hone::app
