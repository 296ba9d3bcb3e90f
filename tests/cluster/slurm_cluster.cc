#include "cluster/slurm_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

const std::string kScript = sourceFolder() / "scripts/slurm-cluster";

}  // namespace

int SlurmCluster::script(const std::string& arguments) const {
  // Redirected to a file: the daemons would keep pipes open.
  return std::system(  // NOLINT(bugprone-command-processor)
      fmt::format("{} {} > {}/script.log 2>&1", kScript, arguments, folder_.path().string())
          .c_str());
}

std::unique_ptr<SlurmCluster> SlurmCluster::start(std::string& why) {
  if (findProgram("sbatch").empty()) {
    why = "Slurm is not installed; run scripts/setup --slurm";
    return nullptr;
  }
  std::unique_ptr<SlurmCluster> cluster(
      new SlurmCluster(ScratchFolder::create("hone-slurm").value()));
  if (cluster->script(fmt::format("start {}/slurm", cluster->folder_.path().string())) != 0) {
    why = fmt::format("Slurm failed to start: {}",
                      readFile(cluster->folder_.path() / "script.log").value_or(""));
    const char* ci = std::getenv("CI");
    if (::geteuid() == 0 || (ci != nullptr && std::string_view(ci) == "true")) {
      ADD_FAILURE() << why;
    }
    return nullptr;
  }
  return cluster;
}

SlurmCluster::~SlurmCluster() {
  static_cast<void>(script(fmt::format("stop {}/slurm", folder_.path().string())));
}

void SlurmCluster::use(Sandbox& box) const {
  box.setVariable("SLURM_CONF", conf());
  box.setVariable("SLURMD_NODENAME", "");  // Slurm names the nodes
}

std::string SlurmCluster::ask(const std::string& command) const {
  const auto finished = runCommand(
      {{"/bin/sh", "-c", command}, {{"SLURM_CONF", conf()}}, {std::chrono::seconds(60), 0}});
  return finished ? finished->out : "";
}

std::vector<std::string> SlurmCluster::jobs() const {
  std::vector<std::string> jobs;
  for (const std::string& line :
       splitAt(ask("squeue --noheader --array --states=PENDING,RUNNING --format=%i"), '\n')) {
    if (!trim(line).empty()) {
      jobs.emplace_back(trim(line));
    }
  }
  return jobs;
}

void SlurmCluster::killNode(const std::string& node) const {
  static_cast<void>(script(fmt::format("kill-node {}/slurm {}", folder_.path().string(), node)));
}

void SlurmCluster::startNode(const std::string& node) const {
  static_cast<void>(script(fmt::format("start-node {}/slurm {}", folder_.path().string(), node)));
}

}  // namespace hone::test
