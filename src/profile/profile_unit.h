#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "engine/executor/unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "model/result/summary/profile_result.h"
#include "profile/build.h"
#include "profile/dispatch_filter.h"
#include "profile/generated.h"
#include "profile/profiler.h"
#include "profile/roofline/roofline.h"

namespace hone::profile {

/// Tools for profiling operations; they must outlive the units.
struct ProfileTools {
  iree::Compiler& compiler;
  std::vector<std::string> flags;  ///< flags of the target
  const iree::ModuleRunner& runner;
  const LibraryProvider& library;
  Rooflines& rooflines;
  Progress& progress;
};

/// Rows of operations and the limits of the machine that measured them.
struct ProfiledRows {
  std::vector<model::ProfileRow> rows;  ///< rows of one operation: fastest first
  std::vector<model::MeasuredRoofline> rooflines;
};

/// Sorts rows by speed, fastest first.
void sortBySpeed(std::vector<model::ProfileRow>& rows);

inline constexpr std::string_view kProfileUnit = "profile";

/// Compiles, verifies and measures one operation in all its configurations. Its value is the
/// ProfiledRows.
class ProfileUnit : public engine::Unit {
 public:
  ProfileUnit(const ProfileTools& tools, Generated operation, DispatchFilter filter,
              const ProfileOptions& options)
      : tools_(tools),
        operation_(std::move(operation)),
        filter_(std::move(filter)),
        options_(options) {}
  /// Creates the unit from the order of another process.
  [[nodiscard]] static Result<std::unique_ptr<engine::Unit>> fromOrder(const ProfileTools& tools,
                                                                       const nlohmann::json& order);

  [[nodiscard]] std::string_view kind() const override { return kProfileUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<void> prepare(std::span<engine::Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& context) override;

 private:
  const ProfileTools& tools_;
  Generated operation_;
  DispatchFilter filter_;
  ProfileOptions options_;
  std::optional<Built> built_;
  std::optional<ScratchFolder> folder_;  ///< files of an ordered unit
};

[[nodiscard]] Result<ProfiledRows> profiledRowsFrom(const nlohmann::json& value);

}  // namespace hone::profile
