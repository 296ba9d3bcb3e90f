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
#include "cluster/place.h"
#include "cluster/worker.h"
#include "engine/plan/dispatch_times_unit.h"
#include "engine/plan/ordered_plan_unit.h"
#include "profile/profile_unit.h"
#include "split/sweep/sweep_unit.h"
#include "split/sweep/validation_unit.h"

namespace hone::app {
namespace {

using cluster::QueuedUnit;
using nlohmann::json;

/// The toolchain of a worker, and what its units need of it.
class WorkerTools {
 public:
  explicit WorkerTools(Toolchain toolchain, ScratchFolder folder, std::filesystem::path self)
      : toolchain_(std::move(toolchain)),
        folder_(std::move(folder)),
        runner_(toolchain_.runner()),
        library_(std::move(self), toolchain_.runLimits),
        rooflines_(cacheFolder(), library_, profile::threadsOf(*toolchain_.device), HONE_VERSION) {}

  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }

  /// Makes the unit that the head ordered; it must not outlive the tools.
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
    return machineError("this hone knows no units of the kind '{}'", queued.kind);
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

/// Performs the units of a head with the toolchain that its setup asks for.
class HoneCraft : public cluster::UnitPerformer {
 public:
  HoneCraft(json setup, bool onlyCompile)
      : setup_(std::move(setup)), onlyCompile_(onlyCompile), progress_(true) {}

  /// Starts what the setup asks for.
  [[nodiscard]] Result<void> start() {
    node_ = cluster::cpuNode();
    if (!setup_.contains("engine")) {
      return {};
    }
    Context context;
    context.ireeFolder = setup_.at("engine").at("iree");
    ToolchainOptions options = workerToolchain(setup_);
    options.runsElsewhere = onlyCompile_;  // it need not have the device
    Toolchain toolchain = HONE_TRY(Toolchain::start(context, options));
    if (const std::string cpu = setup_.value("cpu", node_.cpu); cpu != node_.cpu) {
      return machineError(
          "{} has a {}, but the dispatches are made for a {}: give the command on a machine like "
          "the nodes",
          node_.name, node_.cpu, cpu);
    }
    if (!toolchain.device) {
      return machineError("{} has no device for {}", node_.name, toolchain.target.name);
    }
    if (!onlyCompile_) {
      node_ = cluster::nodeFor(*toolchain.device, toolchain.installation);
    }
    auto folder = HONE_TRY(ScratchFolder::create("hone-worker"));
    tools_ = std::make_unique<WorkerTools>(std::move(toolchain), std::move(folder),
                                           HONE_TRY(ownProgram()));
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
      return machineError("a unit of the kind {} cannot be read: {}", queued.kind,
                          exception.what());
    }
  }
  [[nodiscard]] store::Node node() const override { return node_; }
  [[nodiscard]] bool compilesForItself() const override {
    return !tools_ || tools_->toolchain().target.name == "local";
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<engine::Unit>> unitFrom(const QueuedUnit& queued) {
    if (auto unit = HONE_TRY(kernelUnitFrom(queued.kind, queued.order))) {
      return unit;
    }
    if (!tools_) {
      return machineError("a unit of the kind {} without a toolchain", queued.kind);
    }
    return tools_->unitFrom(queued, progress_);
  }

  json setup_;
  bool onlyCompile_;
  Progress progress_;
  store::Node node_;
  std::unique_ptr<WorkerTools> tools_;
};

Result<std::unique_ptr<cluster::UnitPerformer>> makeCraft(const json& setup, bool onlyCompile) {
  if (setup.value("version", "") != HONE_VERSION) {
    return machineError("the head is hone {}, this worker is hone {}",
                        setup.value("version", "of no version"), HONE_VERSION);
  }
  auto performer = std::make_unique<HoneCraft>(setup, onlyCompile);
  HONE_CHECK(performer->start());
  return performer;
}

}  // namespace

void addWorkerVerb(CLI::App& app, Context& context) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<cluster::WorkerOptions>();
  CLI::App* verb = app.add_subcommand(
      "worker", "Do the work of a run on a cluster; its jobs start it, you need not");
  verb->add_option("FOLDER", *folder, "The folder of the run, on the shared file system")
      ->required();
  verb->add_flag("--only-compile", options->onlyCompile, "Measure nothing here");
  verb->footer(
      "Examples:\n"
      "  hone worker ~/.cache/hone/cluster/runs/0123456789abcdef\n"
      "  srun --exclusive hone worker /scratch/me/hone/runs/0123456789abcdef   one more by hand\n"
      "It goes when there is no more work, when the head is gone, and when it is told to end.");
  verb->callback([&context, folder, options] {
    context.action = [folder, options]() -> Result<int> {
      options->name = cluster::workerName();
      options->node = cluster::nodeName();
      auto spool = HONE_TRY(cluster::Spool::open(*folder));
      HONE_CHECK(cluster::serve(std::move(spool), *options, [&](const json& setup) {
        return makeCraft(setup, options->onlyCompile);
      }));
      return 0;
    };
  });
}

}  // namespace hone::app
