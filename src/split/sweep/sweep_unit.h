#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/executor/unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "model/problem/problem.h"
#include "split/sweep/choices.h"
#include "split/sweep/rerun.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

using model::ShapeRecord;

/// A problem with its line for reports.
struct SweepProblem {
  std::string arguments;
  model::Problem problem;
};

[[nodiscard]] nlohmann::json toJson(const SweepProblem& problem);
[[nodiscard]] Result<SweepProblem> sweepProblemFrom(const nlohmann::json& json);

/// Settings that determine the measurements of a problem.
struct SweepSettings {
  std::vector<std::int64_t> limits;
  std::vector<std::string> flags;  ///< flags of the target
  std::string compiler;            ///< revision, method and location of the compiler
  std::uint64_t seed = 1;
  Rerun rerun{};  ///< measure only these tables; everything if it is empty
};

[[nodiscard]] nlohmann::json toJson(const SweepSettings& settings);
[[nodiscard]] SweepSettings sweepSettingsFrom(const nlohmann::json& json);

/// Tools for sweeping a problem; they must outlive its unit.
struct SweepTools {
  ChoiceCompiler compile;
  const iree::ModuleRunner& runner;
  std::filesystem::path folder;  ///< folder for sources
  /// Runners of further devices that share the sweep, by UnitContext::place - 1.
  std::vector<iree::ModuleRunner> others = {};

  [[nodiscard]] const iree::ModuleRunner& runnerAt(std::size_t place) const {
    return place == 0 ? runner : others.at(place - 1);
  }
};

/// Writes the problems to the folder as sources with one function each.
[[nodiscard]] Result<std::vector<iree::CompileRequest>> requestsFor(
    std::span<const SweepProblem> problems, const std::vector<std::string>& flags,
    const std::filesystem::path& folder);

inline constexpr std::string_view kSweepUnit = "split-sweep";

/// Compiles one problem from one IR with the splits of all limits, verifies and measures them side
/// by side. Its value is the ShapeRecord; in a rerun, with the measured times only.
class SweepUnit : public engine::Unit {
 public:
  /// The tools must outlive the unit.
  SweepUnit(const SweepTools& tools, SweepSettings settings, SweepProblem problem)
      : tools_(tools), settings_(std::move(settings)), problem_(std::move(problem)) {}

  [[nodiscard]] std::string_view kind() const override { return kSweepUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<void> prepare(std::span<engine::Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& context) override;

 private:
  const SweepTools& tools_;
  SweepSettings settings_;
  SweepProblem problem_;
  std::filesystem::path source_;
  std::optional<CompiledProblem> compiled_;
};

}  // namespace hone::split
