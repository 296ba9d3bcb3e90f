#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/kernel/kernel_command.h"
#include "base/error.h"
#include "engine/executor/unit.h"
#include "kernel/turns/output/outputs.h"
#include "kernel/turns/slow_list.h"
#include "model/result/summary/kernel_result.h"

namespace hone::app {

/// A kernel of a command.
struct UnitKernel {
  std::filesystem::path file;
  std::string name;  ///< unique within the run; "" for a single kernel
};

inline constexpr std::string_view kListUnit = "kernel-list";

/// The tools of a process that lists kernels.
struct ListTools {
  const KernelBench& bench;
  std::map<std::string, kernel::ListedKernel> known;  ///< results of earlier lists, by content
  std::size_t total = 0;                              ///< number of kernels
};

/// Measures one kernel for `list-slow`. Its value is a ListedKernel.
class ListUnit : public engine::Unit {
 public:
  /// `options` and `tools` must outlive the unit. If `tools` is null, only another process can
  /// perform the unit. `number` counts from 1.
  ListUnit(UnitKernel kernel, const KernelBenchOptions& options, const ListTools* tools,
           std::size_t number)
      : kernel_(std::move(kernel)), options_(options), tools_(tools), number_(number) {}

  [[nodiscard]] std::string_view kind() const override { return kListUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& unitContext) override;

 private:
  UnitKernel kernel_;
  const KernelBenchOptions& options_;
  const ListTools* tools_;
  std::size_t number_;
};

inline constexpr std::string_view kOptimizeUnit = "kernel";

/// The result of optimizing a kernel.
struct OptimizedKernel {
  model::KernelOutcome outcome;  ///< without file names
  std::string text;              ///< the report to print
  std::string tried;             ///< every candidate, for --verbose
  kernel::Outputs outputs;
  std::optional<kernel::Example> example;  ///< the improvement, if there is one
  std::optional<Error> failure;            ///< error that ended the turns early
};

[[nodiscard]] Result<OptimizedKernel> optimizedKernelFrom(const nlohmann::json& value);

/// Optimizes one kernel. Its value is an OptimizedKernel.
class OptimizeUnit : public engine::Unit {
 public:
  /// `options` and `command` must outlive the unit. If `command` is null, only another process can
  /// perform the unit.
  OptimizeUnit(UnitKernel kernel, const OptimizeCommandOptions& options, KernelCommand* command)
      : kernel_(std::move(kernel)), options_(options), command_(command) {}

  [[nodiscard]] std::string_view kind() const override { return kOptimizeUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& unitContext) override;

 private:
  UnitKernel kernel_;
  const OptimizeCommandOptions& options_;
  KernelCommand* command_;
};

/// Creates the unit that another process ordered; returns nullptr for other kinds of units.
[[nodiscard]] Result<std::unique_ptr<engine::Unit>> kernelUnitFrom(std::string_view kind,
                                                                   const nlohmann::json& order);

}  // namespace hone::app
