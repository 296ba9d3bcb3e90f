#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "engine/executor/unit.h"
#include "engine/plan/plan_unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"

namespace hone::engine {

/// A plan ordered by another process. Its value is the findings.
class OrderedPlanUnit : public Unit {
 public:
  /// The tools must outlive the unit.
  OrderedPlanUnit(nlohmann::json order, iree::Compiler& compiler, const iree::ModuleRunner& runner)
      : order_(std::move(order)), compiler_(compiler), runner_(runner) {}

  [[nodiscard]] std::string_view kind() const override { return kPlanUnit; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& /*files*/) const override { return order_; }
  [[nodiscard]] Result<void> prepare(std::span<Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(UnitContext& context) override;

 private:
  nlohmann::json order_;
  iree::Compiler& compiler_;
  const iree::ModuleRunner& runner_;
};

}  // namespace hone::engine
