#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/experiment.h"
#include "iree/run/dispatch_times.h"
#include "store/records.h"

namespace hone::engine {

/// How far a plan's candidates are taken.
enum class Extent : std::uint8_t {
  screened,  ///< compiled, verified and timed once; none is dropped
  proven,    ///< all the way through race and final
};

/// A candidate that was tried elsewhere.
struct TriedThere {
  store::TrialRecord record;
  Finding finding;
};

/// What came of a plan.
struct PlanAnswer {
  std::vector<TriedThere>
      tried;  ///< in the order of the candidates, those beyond the budget left out
  std::optional<store::TrialRecord> twin;
  std::string killed;  ///< "", or why nothing came of it: whoever tried it died
};

/// Where plans are carried out when that is not here: each wholly in one place, several at a time.
class Elsewhere {
 public:
  Elsewhere() = default;
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  Elsewhere(Elsewhere&&) = delete;
  Elsewhere& operator=(Elsewhere&&) = delete;
  virtual ~Elsewhere() = default;

  /// Begins with a plan, whose candidates are all given; the ticket for its answer.
  [[nodiscard]] virtual Result<std::string> begin(const Plan& plan, Extent extent) = 0;
  /// Waits for the answer. Errors are those of Experiment::run.
  [[nodiscard]] virtual Result<PlanAnswer> end(const std::string& ticket) = 0;
  /// Waits until one of them has its answer; its index.
  [[nodiscard]] virtual Result<std::size_t> any(std::span<const std::string> tickets) = 0;
  /// What the dispatches of the plan's baseline cost in `calls` calls.
  [[nodiscard]] virtual Result<std::vector<iree::DispatchTime>> dispatchTimes(
      const Plan& plan, std::int64_t calls) = 0;
  /// How many plans are carried out at a time.
  [[nodiscard]] virtual std::size_t places() const = 0;
};

}  // namespace hone::engine
