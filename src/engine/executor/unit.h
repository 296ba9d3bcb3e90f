#pragma once

#include <chrono>
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

/// Makes files readable for every machine that performs units.
class FileShare {
 public:
  FileShare() = default;
  FileShare(const FileShare&) = delete;
  FileShare& operator=(const FileShare&) = delete;
  virtual ~FileShare() = default;

  /// Returns the path under which other machines find the file.
  [[nodiscard]] virtual Result<std::filesystem::path> keep(const std::filesystem::path& file) = 0;
  /// Shares every file that one of the texts names, as in "--flag=/a/file" or "4x4xf32=@file", and
  /// returns the texts with the shared paths.
  [[nodiscard]] Result<std::vector<std::string>> keepNamed(std::vector<std::string> texts);
};

/// The process that performs a unit: where it records its trials and shows its progress.
struct UnitSite {
  TrialLog& log;  ///< restored
  Progress& progress;
  std::int64_t referenceCpuNs = 0;  ///< spent on references by its units; not hone's own time
};

/// A piece of work that one machine does from beginning to end: a shape to sweep, an operation to
/// profile, a kernel to optimize, candidates to try. Everything that is compared with each other is
/// in one unit, so that it is measured on one machine.
class Unit {
 public:
  Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  /// Names the class for the process that makes the unit from its order.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Describes the unit for another process. Equal orders of one kind are the same work.
  [[nodiscard]] virtual Result<nlohmann::json> order(FileShare& files) const = 0;
  /// Returns how long the unit may take, if that is limited; not part of its identity.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> timeLeft() const { return {}; }
  /// Compiles what units of this kind need, several at a time. perform() does without, too. This
  /// unit is the first of the batch.
  [[nodiscard]] virtual Result<void> prepare(std::span<Unit* const> batch);
  /// Does the work. A user error is the unit's own fault and its result; any other error ends the
  /// process that performs units.
  [[nodiscard]] virtual Result<nlohmann::json> perform(UnitSite& site) = 0;
};

}  // namespace hone::engine
