#include "app/common/cluster_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/file.h"
#include "cluster/slurm.h"

namespace hone::app {

void ClusterOptions::addTo(CLI::App& command) {
  command_ = &command;
  constexpr const char* kGroup = "Execution";
  command.add_option("--executor", given_.executor, "Run on this machine or on Slurm nodes")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--partition", given_.partition, "Slurm partition for measuring nodes")
      ->group(kGroup);
  command.add_option("--gres", given_.gres, "Slurm resources per measuring node, e.g. gpu:1")
      ->group(kGroup);
  command.add_option("--nodes", given_.nodes, "Number of measuring nodes")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--account", given_.account, "Slurm account")->group(kGroup);
  command
      .add_option("--compile-nodes", given_.compileNodes,
                  "Number of additional compile-only workers")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--compile-partition", given_.compilePartition,
                  "Slurm partition for compile-only workers")
      ->group(kGroup);
  command
      .add_option("--sbatch-arg", given_.sbatchArgs,
                  "Extra sbatch argument, e.g. --sbatch-arg=--time=2:00:00")
      ->allow_extra_args(false)
      ->group(kGroup);
  command
      .add_option("--shared", shared_,
                  "Folder visible to all nodes (default: ~/.cache/hone/cluster)")
      ->type_name("DIR")
      ->group(kGroup);
  command
      .add_option("--settings", settings_,
                  "Settings file (default: hone.toml in the working directory, if present)")
      ->type_name("FILE")
      ->group(kGroup);
}

Result<cluster::Options> ClusterOptions::resolve() const {
  cluster::Options options;
  std::error_code code;
  const std::string file = settings_.empty() ? cluster::kSettingsFile : settings_;
  if (!settings_.empty() || std::filesystem::exists(file, code)) {
    options = HONE_TRY(cluster::withSettings(options, HONE_TRY(readFile(file)), file));
  }
  const auto given = [this](const char* name) { return command_->count(name) > 0; };
  options.executor = given("--executor") ? given_.executor : options.executor;
  options.partition = given("--partition") ? given_.partition : options.partition;
  options.gres = given("--gres") ? given_.gres : options.gres;
  options.nodes = given("--nodes") ? given_.nodes : options.nodes;
  options.account = given("--account") ? given_.account : options.account;
  options.compileNodes = given("--compile-nodes") ? given_.compileNodes : options.compileNodes;
  options.compilePartition =
      given("--compile-partition") ? given_.compilePartition : options.compilePartition;
  options.sbatchArgs = given("--sbatch-arg") ? given_.sbatchArgs : options.sbatchArgs;
  if (given("--shared")) {
    options.shared = shared_;
  }
  if (options.usesCluster()) {
    HONE_CHECK(options.shared.empty() ? cacheFolder() : options.shared);
    HONE_CHECK(cluster::checkSbatchArgs(options.sbatchArgs));
    HONE_CHECK(cluster::Slurm::check());
  }
  return options;
}

}  // namespace hone::app
