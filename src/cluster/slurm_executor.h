#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "cluster/head.h"
#include "cluster/settings/options.h"
#include "cluster/shared_files.h"
#include "engine/executor/executor.h"
#include "store/store.h"

namespace hone::cluster {

/// The run that an executor works for.
struct ExecutorRun {
  store::Store& store;
  std::filesystem::path storeFile;
  std::int64_t run = 0;
  Progress& progress;
};

/// Returns the key of a unit: equal for equal orders of the same kind.
[[nodiscard]] std::string unitKey(std::string_view kind, const nlohmann::json& order);

/// Executes units on workers in Slurm jobs. Reports the cluster's status in the progress and in the
/// run's record. If destroyed without close(), cancels its jobs; finished units are kept.
class SlurmExecutor : public engine::Executor {
 public:
  /// Opens an executor for the run; `setup` is passed to the workers. The store and the progress of
  /// `run` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<SlurmExecutor>> open(const Options& options,
                                                                   WorkerSetup setup,
                                                                   const ExecutorRun& run);
  ~SlurmExecutor() override;

  [[nodiscard]] Result<engine::Ticket> submit(std::unique_ptr<engine::Unit> unit) override;
  [[nodiscard]] Result<std::size_t> wait(std::span<const engine::Ticket> tickets) override;
  [[nodiscard]] Result<engine::UnitResult> result(const engine::Ticket& ticket) override;
  bool withdraw(const engine::Ticket& /*ticket*/) override { return false; }
  [[nodiscard]] std::size_t places() const override { return head_->nodes(); }
  [[nodiscard]] std::size_t window() const override { return head_->window(); }
  /// Waits until a worker has started.
  [[nodiscard]] Result<void> awaitReady() override;
  [[nodiscard]] std::string status() const override { return head_->status().text(); }
  [[nodiscard]] std::int64_t referenceCpuNs() const override { return 0; }
  /// Stops the jobs, removes their files and records the overhead in the run's details.
  [[nodiscard]] Result<void> close() override;

 private:
  SlurmExecutor(std::unique_ptr<Head> head, std::filesystem::path shared, ExecutorRun run)
      : head_(std::move(head)), files_(std::move(shared)), run_(std::move(run)) {}
  void show(const Status& status);

  std::unique_ptr<Head> head_;
  SharedFiles files_;
  ExecutorRun run_;
  std::string shown_;
  std::string noted_;
  std::int64_t notedNs_ = 0;
  bool closed_ = false;
};

}  // namespace hone::cluster
