#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
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
#include "split/sweep/sweep_unit.h"
#include "stats/compare.h"

namespace hone::split {

/// A problem with the splits to compare with the compiler's default.
struct ValidationOrder {
  SweepProblem problem;
  std::map<std::string, std::vector<std::int64_t>>
      sizes;  ///< tile sizes by strategy ("1-D", …); empty: not split. Ignored by built compilers
  double sweptBaselineUs = 0;  ///< baseline time if nothing needs to be measured
};

/// A measured split.
struct ValidatedChoice {
  double timeUs = 0;
  /// Absent if the compiler does the same by default.
  std::optional<stats::Comparison> comparison;
  [[nodiscard]] double speedup() const { return comparison ? comparison->speedup.estimate : 1; }
};

struct ValidationRecord {
  std::string arguments;
  double baselineUs = 0;                           ///< 0 if it failed
  std::map<std::string, ValidatedChoice> choices;  ///< by strategy; without failed ones
  std::vector<std::string> failures;
};

[[nodiscard]] Result<ValidationRecord> validationFrom(const nlohmann::json& json);

/// Tools for validating a problem; they must outlive its unit.
struct ValidationTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  std::filesystem::path folder;  ///< folder for sources
  std::vector<std::string> flags;
  std::uint64_t seed = 1;
  /// Runners of further devices that share the validation, by UnitContext::place - 1.
  std::vector<iree::ModuleRunner> others = {};
  /// Compiles the baseline and the recommended code with built compilers. Optional: without it,
  /// `compiler` compiles the tile sizes as attributes.
  ChoiceCompiler built{};
  /// Returns true once the budget is used up: then only the minimum number of rounds is measured.
  /// Optional.
  std::function<bool()> outOfTime{};

  [[nodiscard]] const iree::ModuleRunner& runnerAt(std::size_t place) const {
    return place == 0 ? runner : others.at(place - 1);
  }
};

inline constexpr std::string_view kValidationUnit = "split-validate";

/// Compares the recommended splits of one problem with the compiler's default (split reduction on).
/// They run side by side in fresh processes until the difference is significant or the rounds are
/// used up. Its value is the ValidationRecord.
class ValidationUnit : public engine::Unit {
 public:
  ValidationUnit(const ValidationTools& tools, ValidationOrder order);
  ~ValidationUnit() override;
  [[nodiscard]] static Result<std::unique_ptr<engine::Unit>> fromOrder(const ValidationTools& tools,
                                                                       const nlohmann::json& order);

  [[nodiscard]] std::string_view kind() const override { return kValidationUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<void> prepare(std::span<engine::Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& context) override;

 private:
  struct Item;

  /// Compile the problems of the units: by attribute, or with built compilers.
  [[nodiscard]] static Result<void> compileByAttribute(const ValidationTools& tools,
                                                       std::span<ValidationUnit* const> units);
  [[nodiscard]] static Result<void> compileBuilt(const ValidationTools& tools,
                                                 std::span<ValidationUnit* const> units);
  [[nodiscard]] Result<void> measure(engine::UnitContext& context);
  /// Returns the results by the strategy names of the order.
  [[nodiscard]] ValidationRecord conclude() const;

  const ValidationTools& tools_;
  ValidationOrder order_;
  std::unique_ptr<Item> item_;  ///< null before prepare()
};

}  // namespace hone::split
