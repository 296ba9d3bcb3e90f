#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/trial_log.h"

namespace hone::engine {

/// Makes files readable on every machine that performs units.
class FileShare {
 public:
  FileShare() = default;
  FileShare(const FileShare&) = delete;
  FileShare& operator=(const FileShare&) = delete;
  virtual ~FileShare() = default;

  /// Shares the file and returns its path on other machines.
  [[nodiscard]] virtual Result<std::filesystem::path> share(const std::filesystem::path& file) = 0;
  /// Shares every file named in `texts`, as in "--flag=/a/file" or "4x4xf32=@file", and returns the
  /// texts with the shared paths.
  [[nodiscard]] Result<std::vector<std::string>> shareNamed(std::vector<std::string> texts);
};

/// Context of the process that performs a unit.
struct UnitContext {
  TrialLog& log;  ///< restored
  Progress& progress;
  std::int64_t referenceCpuNs = 0;  ///< CPU time of references, not counted as hone's overhead
  std::size_t place = 0;  ///< index of the device, if the executor uses several equal devices
};

/// Work that one machine performs as a whole: sweeping a shape, profiling an operation, optimizing
/// a kernel, trying candidates. Everything that is compared must be in one unit, so that it is
/// measured on one machine.
class Unit {
 public:
  Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  /// Returns the name of the kind of unit, by which another process creates it from its order.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Describes the unit for another process. Equal orders of one kind are the same work.
  [[nodiscard]] virtual Result<nlohmann::json> order(FileShare& files) const = 0;
  /// Returns the time limit of the unit, if any; not part of its identity.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> timeLeft() const { return {}; }
  /// Compiles what a batch of units of this kind needs, in parallel. Optional: perform() works
  /// without it. This unit is the first of the batch.
  [[nodiscard]] virtual Result<void> prepare(std::span<Unit* const> batch);
  /// Performs the work. A user error is the result of the unit, unless it is fatal; any other error
  /// ends the process that performs units.
  [[nodiscard]] virtual Result<nlohmann::json> perform(UnitContext& context) = 0;
};

}  // namespace hone::engine
