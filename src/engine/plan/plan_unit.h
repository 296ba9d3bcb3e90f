#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/executor/unit.h"
#include "engine/plan/session_state.h"

namespace hone::engine {

inline constexpr std::string_view kPlanUnit = "plan";

/// Last stage that the candidates of a plan reach.
enum class LastStage : std::uint8_t {
  screened,  ///< compiled, verified and screened
  proven,    ///< also raced and measured in the final
};

/// Some candidates of a session. In the process of the session, the stages work on its state and
/// the value is null. For another process, the unit is a separate plan.
class PlanUnit : public Unit {
 public:
  /// The state must outlive the unit. `which` starts with the baseline, which is not tried again if
  /// it is recorded.
  PlanUnit(SessionState& state, std::vector<std::size_t> which, LastStage lastStage)
      : state_(state), which_(std::move(which)), lastStage_(lastStage) {}

  [[nodiscard]] std::string_view kind() const override { return kPlanUnit; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& files) const override;
  [[nodiscard]] std::optional<std::chrono::milliseconds> timeLeft() const override;
  [[nodiscard]] Result<nlohmann::json> perform(UnitContext& context) override;

 private:
  SessionState& state_;
  std::vector<std::size_t> which_;
  LastStage lastStage_;
};

}  // namespace hone::engine
