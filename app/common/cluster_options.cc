#include "app/common/cluster_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "cluster/slurm.h"

namespace hone::app {
namespace {

/// Options of sbatch that neither run a program nor set variables of the jobs.
constexpr std::array<std::string_view, 30> kHarmlessOptions = {
    "account",       "begin",         "comment", "constraint",  "cores-per-socket",
    "cpus-per-task", "deadline",      "error",   "exclude",     "exclusive",
    "gpus",          "gpus-per-node", "gres",    "hint",        "licenses",
    "mail-type",     "mail-user",     "mem",     "mem-per-cpu", "nice",
    "nodelist",      "ntasks",        "output",  "partition",   "qos",
    "reservation",   "switches",      "time",    "tmp",         "threads-per-core"};

/// Checks the arguments in the settings file of the working directory, which may belong to a
/// project from another machine.
Result<void> checkForeignArguments(const std::vector<std::string>& arguments,
                                   const std::string& file) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string_view name = std::string_view(argument).substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    const bool known =
        name.starts_with("--") &&
        std::ranges::find(kHarmlessOptions, name.substr(2)) != kHarmlessOptions.end();
    if (!known || (value.contains('/') && !isBelow(value, "."))) {
      return userError(
          "{}: the sbatch argument '{}' may name a program or a file elsewhere; use --settings {} "
          "if you trust the author",
          file, argument, file);
    }
  }
  return {};
}

/// Options that have no effect without a cluster.
constexpr std::array<const char*, 8> kSlurmOptions = {
    "--partition",         "--gres",       "--nodes", "--account", "--compile-nodes",
    "--compile-partition", "--sbatch-arg", "--shared"};

}  // namespace

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
    if (settings_.empty()) {
      HONE_CHECK(checkForeignArguments(options.sbatchArgs, file));
    }
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
  const auto* unused = std::ranges::find_if(kSlurmOptions, given);
  if (!options.usesCluster() && unused != kSlurmOptions.end()) {
    return userError("{} has no effect on this machine; add --executor slurm", *unused);
  }
  if (options.usesCluster()) {
    HONE_CHECK(options.shared.empty() ? cacheFolder() : options.shared);
    HONE_CHECK(cluster::checkSbatchArgs(options.sbatchArgs));
    HONE_CHECK(cluster::Slurm::check());
  }
  return options;
}

}  // namespace hone::app
