#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "base/progress.h"
#include "cluster/head.h"
#include "cluster/options.h"
#include "cluster/plans.h"
#include "cluster/shared_files.h"
#include "engine/budget.h"
#include "store/store.h"

namespace hone::app {

/// The engine's options for the head of a cluster: nothing runs here, and what is compiled is
/// shared.
[[nodiscard]] ToolchainOptions headToolchain(ToolchainOptions options,
                                             const cluster::Options& cluster);
/// What a worker must know to start the same engine, and that engine's options there.
[[nodiscard]] nlohmann::json toolchainSetup(const Toolchain& toolchain,
                                            const ToolchainOptions& options);
[[nodiscard]] ToolchainOptions workerEngine(const nlohmann::json& setup);

/// The cluster at work for a run: progress and the run's record show it. When it goes without
/// close(), its jobs are cancelled and what was done stays for the next time.
class ClusterRun {
 public:
  /// All must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<ClusterRun>> open(
      const cluster::Options& options, const Context& context, nlohmann::json setup,
      store::Store& store, std::int64_t run, Progress& progress);

  ClusterRun(const ClusterRun&) = delete;
  ClusterRun& operator=(const ClusterRun&) = delete;
  ~ClusterRun();

  [[nodiscard]] cluster::Head& head() { return *head_; }
  [[nodiscard]] cluster::SharedFiles& files() { return files_; }
  [[nodiscard]] engine::Elsewhere& plans() { return plans_; }
  /// Waits until a worker has begun, where time is limited: waiting for nodes does not count.
  [[nodiscard]] Result<void> awaitWorker(const engine::Budget& budget);
  /// What a unit's worker recorded, in the store.
  [[nodiscard]] Result<void> keep(const cluster::Answer& answer);
  /// A unit without a result, as a trial of what it was about.
  [[nodiscard]] Result<void> keepFailed(const std::string& problem, const cluster::Answer& answer,
                                        const std::string& what = "");
  /// No job and no file is left; what it cost goes into the run's details.
  [[nodiscard]] Result<void> close();

 private:
  ClusterRun(std::unique_ptr<cluster::Head> head, std::filesystem::path shared, store::Store& store,
             std::int64_t run, Progress& progress)
      : head_(std::move(head)),
        files_(std::move(shared)),
        store_(store),
        run_(run),
        progress_(progress),
        plans_(*head_, store, files_) {}
  void show(const cluster::Status& status);

  std::unique_ptr<cluster::Head> head_;
  cluster::SharedFiles files_;
  store::Store& store_;
  std::int64_t run_;
  Progress& progress_;
  cluster::Plans plans_;
  std::string shown_;
  std::string noted_;
  std::int64_t notedNs_ = 0;
  bool closed_ = false;
};

/// Closes it, where there is one. A run comes to its end in the store first: the folder of the
/// cluster is what it would go on from.
[[nodiscard]] Result<void> closed(const std::unique_ptr<ClusterRun>& cluster);

}  // namespace hone::app
