#pragma once

#include <map>
#include <string>

#include "cluster/head.h"
#include "cluster/shared_files.h"
#include "engine/elsewhere.h"
#include "store/store.h"

namespace hone::cluster {

/// The kinds of units that plans are.
inline constexpr const char* kPlanUnit = "plan";
inline constexpr const char* kDispatchesUnit = "dispatches";

/// Plans carried out by the workers of a head, each by one of them.
class Plans : public engine::Elsewhere {
 public:
  /// Where samples were taken is noted in the store; all of it must outlive the plans.
  Plans(Head& head, store::Store& store, SharedFiles& files)
      : head_(head), store_(store), files_(files) {}

  [[nodiscard]] Result<std::string> begin(const engine::Plan& plan, engine::Extent extent) override;
  [[nodiscard]] Result<engine::PlanAnswer> end(const std::string& ticket) override;
  [[nodiscard]] Result<std::size_t> any(std::span<const std::string> tickets) override;
  [[nodiscard]] Result<std::vector<iree::DispatchTime>> dispatchTimes(const engine::Plan& plan,
                                                                      std::int64_t calls) override;
  [[nodiscard]] std::size_t places() const override { return head_.nodes(); }

 private:
  Head& head_;
  store::Store& store_;
  SharedFiles& files_;
};

/// What a worker does for a unit of one of those kinds.
[[nodiscard]] Result<nlohmann::json> performPlan(const Unit& unit, iree::Compiler& compiler,
                                                 const iree::ModuleRunner& executor,
                                                 Progress& progress);
[[nodiscard]] Result<nlohmann::json> performDispatches(const Unit& unit, iree::Compiler& compiler,
                                                       const iree::ModuleRunner& executor);

/// The key of a unit: equal for orders that are.
[[nodiscard]] std::string unitKey(std::string_view kind, const nlohmann::json& order);

}  // namespace hone::cluster
