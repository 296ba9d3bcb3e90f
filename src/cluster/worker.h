#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/spool.h"

namespace hone::cluster {

/// Executes units of all kinds. Created once per child process of a worker.
class UnitPerformer {
 public:
  UnitPerformer() = default;
  UnitPerformer(const UnitPerformer&) = delete;
  UnitPerformer& operator=(const UnitPerformer&) = delete;
  UnitPerformer(UnitPerformer&&) = delete;
  UnitPerformer& operator=(UnitPerformer&&) = delete;
  virtual ~UnitPerformer() = default;

  /// Executes a unit. A user error is sent as the answer. After a machine error the worker ends,
  /// and the unit is retried elsewhere without counting a death.
  [[nodiscard]] virtual Result<nlohmann::json> perform(const QueuedUnit& unit) = 0;
  [[nodiscard]] virtual store::Node node() const = 0;
  /// Returns true if code compiled here runs only on machines like this one.
  [[nodiscard]] virtual bool compilesForHost() const = 0;
};

using MakePerformer =
    std::function<Result<std::unique_ptr<UnitPerformer>>(const WorkerSetup& setup)>;

/// Printed with the unit's key in the job's log, one line per answered unit.
inline constexpr const char* kAnswered = "answered";

struct WorkerOptions {
  std::string name;
  bool onlyCompile = false;
  std::string node;  ///< node it runs on
};

/// Executes units from the spool until there were none for a while, the head is gone, or a signal
/// arrives. Units run in a child process. If the child dies, reports the unit and starts a new
/// child; fails after three deaths. When stopped from outside, requeues the claimed unit.
[[nodiscard]] Result<void> serve(Spool spool, const WorkerOptions& options,
                                 const MakePerformer& make);

}  // namespace hone::cluster
