#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/cli/cli.h"

namespace hone::test {

/// A real Slurm with two nodes on this machine. The destructor stops it.
class SlurmCluster {
 public:
  /// Returns nullptr and sets `why` if Slurm is not installed or fails to start. As root and in CI,
  /// a failed start fails the test.
  [[nodiscard]] static std::unique_ptr<SlurmCluster> start(std::string& why);
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;
  ~SlurmCluster();

  /// Makes programs of the sandbox use this cluster and its shared folder.
  void use(Sandbox& box) const;
  [[nodiscard]] std::string conf() const { return (folder_.path() / "slurm/slurm.conf").string(); }
  /// Returns the output of a Slurm command.
  [[nodiscard]] std::string ask(const std::string& command) const;
  /// Returns the IDs of pending and running jobs.
  [[nodiscard]] std::vector<std::string> jobs() const;
  void killNode(const std::string& node) const;
  void startNode(const std::string& node) const;

 private:
  explicit SlurmCluster(ScratchFolder folder) : folder_(std::move(folder)) {}
  [[nodiscard]] int script(const std::string& arguments) const;

  ScratchFolder folder_;
};

}  // namespace hone::test
