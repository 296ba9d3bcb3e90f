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

/// The last stage that the candidates of a plan reach.
enum class Extent : std::uint8_t {
  screened,  ///< compiled, verified and screened
  proven,    ///< all the way through race and final
};

/// Some candidates of a session. In the session's own process the stages work on the session
/// itself, and the value is null; for another process the unit is a plan of its own.
class PlanUnit : public Unit {
 public:
  /// The state must outlive the unit. `which` starts with the baseline, unless it only adds
  /// candidates to those that this process has tried.
  PlanUnit(SessionState& state, std::vector<std::size_t> which, Extent extent)
      : state_(state), which_(std::move(which)), extent_(extent) {}

  [[nodiscard]] std::string_view kind() const override { return kPlanUnit; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& files) const override;
  [[nodiscard]] std::optional<std::chrono::milliseconds> timeLeft() const override;
  [[nodiscard]] Result<nlohmann::json> perform(UnitSite& site) override;

 private:
  SessionState& state_;
  std::vector<std::size_t> which_;
  Extent extent_;
};

}  // namespace hone::engine
