#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli.h"

namespace hone::test {

/// A real Slurm with two nodes on this machine, for one test; it ends with it.
class SlurmCluster {
 public:
  /// nullptr where Slurm is not installed or does not start; `why` says it. To root and in CI the
  /// latter is a failure: there it can.
  [[nodiscard]] static std::unique_ptr<SlurmCluster> start(std::string& why);
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;
  ~SlurmCluster();

  /// The program of the sandbox finds this cluster, and shares a folder of it with the nodes.
  void use(Sandbox& box) const;
  [[nodiscard]] std::string conf() const { return (folder_.path() / "slurm/slurm.conf").string(); }
  /// What a command of Slurm prints.
  [[nodiscard]] std::string ask(const std::string& command) const;
  /// Numbers of jobs in the queue, those that end soon left out.
  [[nodiscard]] std::vector<std::string> jobs() const;
  void killNode(const std::string& node) const;
  void startNode(const std::string& node) const;

 private:
  explicit SlurmCluster(ScratchFolder folder) : folder_(std::move(folder)) {}
  [[nodiscard]] int script(const std::string& arguments) const;

  ScratchFolder folder_;
};

}  // namespace hone::test
