#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "engine/executor/unit.h"
#include "engine/plan/plan.h"
#include "iree/run/dispatch_times.h"

namespace hone::engine {

inline constexpr std::string_view kDispatchTimesUnit = "dispatches";

/// Times of the dispatches of one candidate.
using DispatchTimes = std::vector<iree::DispatchTime>;

/// Compiles every candidate of the plan and measures its dispatches in `calls` calls, one candidate
/// at a time. Returns one entry per candidate.
[[nodiscard]] Result<std::vector<DispatchTimes>> measureDispatchTimes(
    const Plan& plan, std::int64_t calls, iree::Compiler& compiler,
    const iree::ModuleRunner& runner);

/// Runs measureDispatchTimes() as a unit, so that all candidates are measured on one machine.
class DispatchTimesUnit : public Unit {
 public:
  /// The tools must outlive the unit.
  DispatchTimesUnit(Plan plan, std::int64_t calls, iree::Compiler& compiler,
                    const iree::ModuleRunner& runner)
      : plan_(std::move(plan)), calls_(calls), compiler_(compiler), runner_(runner) {}

  /// Creates the unit ordered by another process.
  [[nodiscard]] static Result<std::unique_ptr<Unit>> fromOrder(const nlohmann::json& order,
                                                               iree::Compiler& compiler,
                                                               const iree::ModuleRunner& runner);

  [[nodiscard]] std::string_view kind() const override { return kDispatchTimesUnit; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& files) const override;
  [[nodiscard]] Result<void> prepare(std::span<Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(UnitContext& context) override;

 private:
  Plan plan_;
  std::int64_t calls_;
  iree::Compiler& compiler_;
  const iree::ModuleRunner& runner_;
  std::optional<std::vector<iree::Compiled>> compiled_;
  std::optional<ScratchFolder> folder_;  ///< inputs of an ordered unit
};

/// Decodes the value of the unit.
[[nodiscard]] Result<std::vector<DispatchTimes>> dispatchTimesFrom(const nlohmann::json& value);

}  // namespace hone::engine
