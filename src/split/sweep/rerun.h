#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "split/sweep/choices.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// The tables of a results folder to measure again although earlier times are known.
struct Rerun {
  std::vector<std::int64_t> limits;
  bool baseline = false;
  bool noSplit = false;

  [[nodiscard]] bool empty() const { return limits.empty() && !baseline && !noSplit; }
  /// Returns true if the choice measures one of the tables. Limits that give the same tile sizes
  /// are one choice: all of them get the new time.
  [[nodiscard]] bool includes(const Choice& choice) const;
  /// Returns "baseline, limit 64".
  [[nodiscard]] std::string names() const;
  bool operator==(const Rerun&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const Rerun& rerun);
[[nodiscard]] Rerun rerunFrom(const nlohmann::json& json);

/// Returns the tables whose files the user deleted from the folder to measure them again. Returns
/// none if no earlier sweep of this workload left a file there.
[[nodiscard]] Rerun findDeleted(const std::filesystem::path& folder, std::string_view stem,
                                std::span<const std::int64_t> limits);

/// Removes the times of the tables.
void removeTimes(ShapeResult& shape, const Rerun& rerun);
/// Adds the times and failures of a partial measurement to those known earlier.
void addRerun(model::ShapeRecord& record, const model::ShapeRecord& measured);

}  // namespace hone::split
