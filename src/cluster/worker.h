#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/spool.h"

namespace hone::cluster {

/// Does units of all kinds. Made once a worker, in a process of its own.
class UnitPerformer {
 public:
  UnitPerformer() = default;
  UnitPerformer(const UnitPerformer&) = delete;
  UnitPerformer& operator=(const UnitPerformer&) = delete;
  UnitPerformer(UnitPerformer&&) = delete;
  UnitPerformer& operator=(UnitPerformer&&) = delete;
  virtual ~UnitPerformer() = default;

  /// A user error is an answer; with a machine error the worker ends, and the unit goes elsewhere
  /// by no fault of its own.
  [[nodiscard]] virtual Result<nlohmann::json> perform(const QueuedUnit& unit) = 0;
  [[nodiscard]] virtual store::Node node() const = 0;
  /// Whether what is compiled here runs only on machines like this one.
  [[nodiscard]] virtual bool compilesForItself() const = 0;
};

using MakePerformer =
    std::function<Result<std::unique_ptr<UnitPerformer>>(const nlohmann::json& setup)>;

/// With the key of the unit, a line in the log of the job for each that it answered.
inline constexpr const char* kAnswered = "answered";

struct WorkerOptions {
  std::string name;
  bool onlyCompile = false;
  std::string node;  ///< that it is on
};

/// Takes units from the spool until there are no more, the head is gone, or this process is told to
/// end. The work is done in a child: when that dies, this process reports over what, and begins a
/// new one. On a signal what is in hand goes back.
[[nodiscard]] Result<void> serve(Spool spool, const WorkerOptions& options,
                                 const MakePerformer& make);

}  // namespace hone::cluster
