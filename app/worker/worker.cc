#include "app/worker/worker.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/cluster_run.h"
#include "app/common/toolchain.h"
#include "app/kernel/kernel_cluster.h"
#include "app/profile/profile_cluster.h"
#include "app/split/split_cluster.h"
#include "cluster/place.h"
#include "cluster/plans.h"
#include "cluster/worker.h"

namespace hone::app {
namespace {

using cluster::Unit;
using nlohmann::json;

/// What this program can do for a cluster. The engine is started with the first need of it.
class HoneCraft : public cluster::Craft {
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
    ToolchainOptions options = workerEngine(setup_);
    options.elsewhere = onlyCompile_;  // it need not have the device
    toolchain_.emplace(HONE_TRY(Toolchain::start(context, options)));
    if (const std::string cpu = setup_.value("cpu", node_.cpu); cpu != node_.cpu) {
      return machineError(
          "{} has a {}, but the dispatches are made for a {}: give the command on a machine like "
          "the nodes",
          node_.name, node_.cpu, cpu);
    }
    if (onlyCompile_) {
      runner_.emplace(toolchain_->runner());
      return {};
    }
    if (!toolchain_->device) {
      return machineError("{} has no device for {}", node_.name, toolchain_->target.name);
    }
    node_ = cluster::nodeFor(*toolchain_->device, toolchain_->installation);
    runner_.emplace(toolchain_->runner());
    return {};
  }

  [[nodiscard]] Result<json> perform(const Unit& unit) override {
    try {
      return performKind(unit);
    } catch (const json::exception& exception) {
      return machineError("a unit of the kind {} cannot be read: {}", unit.kind, exception.what());
    }
  }
  [[nodiscard]] store::Node node() const override { return node_; }
  [[nodiscard]] bool compilesForItself() const override {
    return !toolchain_ || toolchain_->target.name == "local";
  }

 private:
  [[nodiscard]] Result<json> performKind(const Unit& unit) {
    if (unit.kind == kKernelUnit) {
      return performKernel(unit, progress_);
    }
    if (!toolchain_) {
      return machineError("a unit of the kind {} without an engine", unit.kind);
    }
    if (unit.kind == cluster::kPlanUnit) {
      return cluster::performPlan(unit, toolchain_->compiler, *runner_, progress_);
    }
    if (unit.kind == cluster::kDispatchesUnit) {
      return cluster::performDispatches(unit, toolchain_->compiler, *runner_);
    }
    if (unit.kind == kSweepUnit) {
      return performSweep(unit, *toolchain_, progress_);
    }
    if (unit.kind == kValidateUnit) {
      return performValidation(unit, *toolchain_, progress_);
    }
    if (unit.kind == kProfileUnit) {
      return performProfile(unit, *toolchain_, progress_);
    }
    return machineError("this hone knows no units of the kind '{}'", unit.kind);
  }

  json setup_;
  bool onlyCompile_;
  Progress progress_;
  store::Node node_;
  std::optional<Toolchain> toolchain_;
  std::optional<iree::ModuleRunner> runner_;
};

Result<std::unique_ptr<cluster::Craft>> makeCraft(const json& setup, bool onlyCompile) {
  if (setup.value("version", "") != HONE_VERSION) {
    return machineError("the head is hone {}, this worker is hone {}",
                        setup.value("version", "of no version"), HONE_VERSION);
  }
  auto craft = std::make_unique<HoneCraft>(setup, onlyCompile);
  HONE_CHECK(craft->start());
  return craft;
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
